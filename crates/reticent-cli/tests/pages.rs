//! The commands that the pages show can be typed: every `sh` block of `reticent` commands runs, in
//! order, in an empty folder. Commands on files that a reader brings along are `console` blocks,
//! and do not run.

mod table;

use std::path::Path;
use std::process::Command;

use table::Folder;

/// The commands of a page, one per line.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in page.split("```sh\n").skip(1) {
        let text = block.split_once("```").unwrap().0.replace("\\\n", " ");
        let commands = text.lines().filter(|line| line.starts_with("reticent "));
        found.extend(commands.map(str::to_owned));
    }
    found
}

fn run_in(folder: &Folder, command: &str) {
    let arguments = command.split_whitespace().skip(1);
    let output = Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args(arguments)
        .current_dir(folder.at("."))
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{command}\n{err}");
}

/// The commands of the pages in a folder of docs, by the name of the page.
fn pages(folder: &str) -> Vec<(String, Vec<String>)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(docs.join(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let page = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            found.push((name, commands(&page)));
        }
    }
    found
}

#[test]
fn the_commands_of_the_guide_run() {
    let mut count = 0;
    for (name, commands) in pages("guide") {
        let folder = Folder::new(&format!("guide-{name}"));
        commands.iter().for_each(|command| run_in(&folder, command));
        count += commands.len();
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn the_commands_of_the_methods_run_on_the_patients_of_the_demonstration() {
    let folder = Folder::new("methods");
    run_in(&folder, "reticent demo --keep patients");
    let pages = pages("methods");
    let commands: Vec<&String> = pages.iter().flat_map(|(_, commands)| commands).collect();
    commands.iter().for_each(|command| run_in(&folder, command));
    assert!(commands.len() >= 8, "{}", commands.len());
}
