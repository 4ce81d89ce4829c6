//! `reticent completions`: what a shell needs to complete the command.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::command::Cli;
use crate::failure::Failure;

pub const EXAMPLES: &str = "\
Where the script belongs:
  bash        ~/.local/share/bash-completion/completions/reticent
  zsh         _reticent in a folder of $fpath
  fish        ~/.config/fish/completions/reticent.fish
  elvish      the end of ~/.config/elvish/rc.elv
  powershell  the end of the file that $PROFILE names

Example:
  reticent completions fish > ~/.config/fish/completions/reticent.fish";

/// The arguments of `reticent completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that is to complete `reticent`
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// The script for the shell.
pub fn run(request: &CompletionsArgs) -> Result<String, Failure> {
    let mut script = Vec::new();
    generate(request.shell, &mut Cli::command(), "reticent", &mut script);
    String::from_utf8(script).map_err(Failure::of)
}
