//! The table of methods in docs/methods/README.md is that of the declarations.
//!
//! After a change of a declaration, `UPDATE_DOCS=1 cargo test -p reticent --test methods_table` writes
//! it anew.

use std::path::Path;

use reticent::fit::{METHODS, MethodOption, OptionType, Releases, TakesNonzero, declared_options};

const PAGE: &str = "docs/methods/README.md";
const BEGIN: &str = "<!-- methods: begin -->\n";
const END: &str = "<!-- methods: end -->";

/// Both tables, in Markdown.
fn tables() -> String {
    let mut text = String::from(
        "\n| `--method` | what it does | tasks | adjacencies | options | after |\n|---|---|---|---|---|---|\n",
    );
    for method in METHODS {
        if method.releases == Releases::Columns {
            continue;
        }
        let tasks: Vec<&str> = method.tasks.iter().map(|task| task.name()).collect();
        let both: Vec<&str> = method.adjacencies.iter().map(|one| one.name()).collect();
        let options = method
            .options
            .iter()
            .map(|option| format!("`--{}`", option.name));
        let takes = method.nonzero > TakesNonzero::No;
        let nonzero = takes.then(|| "`--nonzero`".to_owned());
        let options: Vec<String> = nonzero.into_iter().chain(options).collect();
        text.push_str(&format!(
            "| `{}` | {} | {} | {} | {} | {} |\n",
            method.name,
            method.meaning,
            tasks.join(", "),
            both.join(", "),
            options.join(" "),
            method.paper,
        ));
    }
    text.push_str(
        "\n| option | value | meaning | default | methods | tasks |\n|---|---|---|---|---|---|\n",
    );
    for (option, methods) in declared_options() {
        let methods: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        let tasks: Vec<&str> = option.tasks.iter().map(|task| task.name()).collect();
        text.push_str(&format!(
            "| `--{}` | {} | {} | {} | {} | {} |\n",
            option.name,
            value(option),
            option.meaning,
            option.default,
            methods.join(", "),
            tasks.join(", "),
        ));
    }
    text.push('\n');
    text
}

fn value(option: &MethodOption) -> String {
    match option.value {
        OptionType::Flag => "none".to_owned(),
        OptionType::PublicRows => "a file".to_owned(),
        _ => option.allowed(),
    }
}

/// A method without a page, or a page that no list has, is found by nobody.
#[test]
fn every_method_has_a_page_that_both_lists_of_pages_have() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |page: &str| std::fs::read_to_string(docs.join(page)).unwrap();
    let (methods, all) = (read("methods/README.md"), read("README.md"));
    for method in METHODS {
        if method.releases == Releases::Columns {
            continue;
        }
        let page = format!("{}.md", method.name);
        assert!(docs.join("methods").join(&page).exists(), "{page}");
        assert!(methods.contains(&format!("]({page})")), "{page}");
        assert!(all.contains(&format!("](methods/{page})")), "{page}");
    }
}

#[test]
fn the_page_of_methods_is_that_of_the_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(PAGE);
    let page = std::fs::read_to_string(&path).unwrap();
    let begin = page.find(BEGIN).unwrap() + BEGIN.len();
    let end = page.find(END).unwrap();
    let tables = tables();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let renewed = format!("{}{tables}{}", &page[..begin], &page[end..]);
        std::fs::write(&path, renewed).unwrap();
        return;
    }
    assert_eq!(
        &page[begin..end],
        tables,
        "{PAGE} is not up to date; UPDATE_DOCS=1 cargo test -p reticent --test methods_table"
    );
}
