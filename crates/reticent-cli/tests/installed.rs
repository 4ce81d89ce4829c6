//! What comes with an installation: completions for each shell, and the manual.

mod run;
mod table;

use std::process::Command;

use run::reticent;
use table::Folder;

/// The commands, as `reticent --help` lists them.
fn commands() -> Vec<String> {
    let help = reticent("--help").out;
    let list = help.split("Commands:\n").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| !line.starts_with("    "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_owned());
    names.filter(|name| name != "help").collect()
}

#[test]
fn each_shell_gets_completions_of_all_commands_and_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = reticent(&format!("completions {shell}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{shell}");
        for word in commands() {
            assert!(run.out.contains(&word), "{shell} lacks {word}");
        }
        assert!(run.out.contains("epsilon"), "{shell} lacks --epsilon");
    }
    assert_eq!(reticent("completions tcsh").code, 2);
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_and_flags() {
    let folder = Folder::new("completions");
    let script = folder.write("reticent", &reticent("completions bash").out);
    let complete = |line: &str| {
        let typed = format!(
            "set -eu; . '{script}'; complete -p reticent >&2; \
             COMP_WORDS=({line}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); COMPREPLY=(); \
             last=${{COMP_WORDS[COMP_CWORD]}}; \
             _reticent reticent \"$last\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["-c", &typed]).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{line}\n{err}");
        assert!(err.contains("_reticent"), "{err}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete("reticent ver"), "verify\n");
    assert_eq!(complete("reticent fit --epsi"), "--epsilon\n");
    assert_eq!(complete("reticent completions fi"), "fish\n");
}

#[test]
fn the_manual_has_a_page_for_each_command_and_replaces_none() {
    let page = reticent("man");
    assert_eq!((page.code, page.err.as_str()), (0, ""));
    assert!(page.out.contains(".TH reticent 1"), "{}", page.out);
    let folder = Folder::new("manual");
    let write = |more: &str| reticent(&format!("man --out {} {more}", folder.at("man1")));
    assert_eq!(write("").code, 0);
    let read = |name: &str| std::fs::read_to_string(folder.path("man1").join(name)).unwrap();
    assert_eq!(read("reticent.1"), page.out);
    let commands = commands();
    assert!(commands.len() >= 13, "{commands:?}");
    for command in &commands {
        let text = read(&format!("reticent-{command}.1"));
        assert!(
            text.contains(&format!(".TH reticent-{command} 1")),
            "{command}"
        );
        assert!(
            page.out.contains(&format!("reticent\\-{command}(1)")),
            "{command}"
        );
    }
    let pages = std::fs::read_dir(folder.path("man1")).unwrap().count();
    assert_eq!(pages, commands.len() + 1);
    assert!(read("reticent-fit.1").contains("\\-\\-epsilon"));
    let again = write("");
    assert_eq!((again.code, again.out.as_str()), (1, ""));
    assert!(again.err.contains("add --overwrite"), "{}", again.err);
    assert_eq!(write("--overwrite").code, 0);
}
