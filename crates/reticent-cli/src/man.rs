//! `reticent man`: the manual, made from the same texts as `--help`.

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man;
use reticent::model::{write_atomically, write_new};

use crate::command::Cli;
use crate::failure::{Failure, unwritten};
use crate::output::{self, Overwrite};

pub const EXAMPLES: &str = "\
Examples:
  reticent man | man -l -
  reticent man --out ~/.local/share/man/man1    then: man reticent-fit";

/// The arguments of `reticent man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder, which is made if need be
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    #[command(flatten)]
    overwrite: Overwrite,
}

/// The page of `reticent`, or where all pages were written.
pub fn run(request: &ManArgs) -> Result<String, Failure> {
    let mut pages = pages()?;
    let Some(folder) = &request.out else {
        return Ok(pages.swap_remove(0).text);
    };
    for page in &pages {
        output::refuse_existing(&folder.join(&page.file), request.overwrite)?;
    }
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for page in &pages {
        let path = folder.join(&page.file);
        let written = if request.overwrite.overwrite {
            write_atomically(&path, page.text.as_bytes())
        } else {
            write_new(&path, page.text.as_bytes())
        };
        written.map_err(|error| failed(&path, &error))?;
    }
    let count = pages.len();
    Ok(format!("{count} pages written to {}\n", folder.display()))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("{}: {}", path.display(), unwritten(error)))
}

/// One page of the manual.
struct Page {
    file: String,
    text: String,
}

/// The page of `reticent`, then one for each of its commands.
fn pages() -> Result<Vec<Page>, Failure> {
    let mut cli = Cli::command().disable_help_subcommand(true);
    // So that commands know in what they are, and are called `reticent-fit`.
    cli.build();
    let commands = cli.get_subcommands().cloned();
    std::iter::once(cli.clone())
        .chain(commands)
        .map(|command| {
            let page = Man::new(command);
            let mut text = Vec::new();
            page.render(&mut text).map_err(Failure::of)?;
            Ok(Page {
                file: page.get_filename(),
                text: String::from_utf8(text).map_err(Failure::of)?,
            })
        })
        .collect()
}
