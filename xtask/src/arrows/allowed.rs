//! The arrows that ARCHITECTURE.md allows.

use super::Fault;

/// The only arrow that may point upwards, and what it may bring: a population has to name the key to
/// its queries, which only mechanisms can make.
pub const KEY: (&str, &str, &str) = ("population", "mechanism", "ReleaseKey");

/// The fence of the block that is read.
const FENCE: &str = "```arrows";

/// A module and what it may import.
#[derive(Debug, PartialEq, Eq)]
pub struct AllowedImports {
    /// Its name.
    pub name: String,
    /// Where it may import from.
    pub arrows: Vec<Arrow>,
    /// Its line in ARCHITECTURE.md.
    pub line: usize,
}

/// From where something may be imported.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The module.
    pub module: String,
    /// The one item that may be imported, if it is not all of the module.
    pub item: Option<String>,
}

impl Arrow {
    /// Whether it allows a path, from the crate's root.
    pub fn allows(&self, path: &[String]) -> bool {
        let Some((module, rest)) = path.split_first() else {
            return false;
        };
        *module == self.module
            && match &self.item {
                None => true,
                Some(item) => rest.first() == Some(item),
            }
    }
}

impl std::fmt::Display for Arrow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.item {
            None => write!(f, "{}", self.module),
            Some(item) => write!(f, "{}::{item}", self.module),
        }
    }
}

/// The modules of the block of arrows in a document, and what is wrong with it.
pub fn read(document: &str) -> (Vec<AllowedImports>, Vec<Fault>) {
    let mut lines = (1..).zip(document.lines());
    if !lines.any(|(_, line)| line.trim_end() == FENCE) {
        let fault = Fault::in_document(1, format!("there is no block that starts with {FENCE}"));
        return (Vec::new(), vec![fault]);
    }
    let mut modules = Vec::new();
    let mut faults = Vec::new();
    for (line, text) in lines.take_while(|(_, text)| !text.starts_with("```")) {
        match allowed_imports(text, line) {
            Some(listed) => modules.push(listed),
            None => faults.push(Fault::in_document(
                line,
                format!(
                    "'{text}' is not an arrow; write 'module: other, another', or 'module: -' for none"
                ),
            )),
        }
    }
    faults.extend(upward(&modules));
    (modules, faults)
}

/// `module: other, another::Item`.
fn allowed_imports(text: &str, line: usize) -> Option<AllowedImports> {
    let (name, arrows) = text.split_once(':')?;
    let is_name = |text: &str| !text.is_empty() && text.chars().all(super::lex::of_word);
    let arrow = |text: &str| {
        let (module, item) = match text.split_once("::") {
            Some((module, item)) => (module, Some(item)),
            None => (text, None),
        };
        let fine = is_name(module) && item.is_none_or(is_name);
        fine.then(|| Arrow {
            module: module.to_owned(),
            item: item.map(str::to_owned),
        })
    };
    let arrows = match arrows.trim() {
        "-" => Vec::new(),
        arrows => arrows
            .split(',')
            .map(|text| arrow(text.trim()))
            .collect::<Option<_>>()?,
    };
    let name = name.trim();
    is_name(name).then(|| AllowedImports {
        name: name.to_owned(),
        arrows,
        line,
    })
}

/// Modules are listed from the bottom up. If each imports only from modules above its line, which are
/// below it in the architecture, the arrows form no cycle.
fn upward(modules: &[AllowedImports]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (place, listed) in modules.iter().enumerate() {
        let name = &listed.name;
        let before = |name: &str| modules[..place].iter().any(|other| other.name == name);
        if before(name) {
            let message = format!("{name} is listed twice; write one line per module");
            faults.push(Fault::in_document(listed.line, message));
        }
        for arrow in listed.arrows.iter().filter(|arrow| !before(&arrow.module)) {
            let item = arrow.item.as_deref();
            if (name.as_str(), arrow.module.as_str(), item) == (KEY.0, KEY.1, Some(KEY.2)) {
                continue;
            }
            let message = format!(
                "{name} → {arrow}: a module may import only from modules that are listed before it, so that \
                 there is no cycle ({} → {}::{} alone may close one); move a line, or take the arrow away",
                KEY.0, KEY.1, KEY.2
            );
            faults.push(Fault::in_document(listed.line, message));
        }
    }
    faults
}
