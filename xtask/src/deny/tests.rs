//! The check refuses what deny.toml does not list, and takes what it does.

use super::*;

fn set(entries: &[&str]) -> BTreeSet<String> {
    entries.iter().map(|&entry| entry.to_owned()).collect()
}

#[test]
fn the_lists_of_this_repository_are_read() {
    let lists = Lists::read(include_str!("../../../deny.toml"));
    assert!(lists.licences.contains("MIT"));
    assert!(lists.licences.contains("Apache-2.0 WITH LLVM-exception"));
    assert!(lists.skipped.iter().all(|entry| entry.contains('@')));
    assert_eq!(lists.registries.len(), 1);
}

#[test]
fn a_licence_holds_if_the_allowed_ones_suffice() {
    let allowed = set(&["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]);
    for expression in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
        "GPL-3.0 AND LGPL-2.1 OR MIT",
    ] {
        assert!(licence::holds(expression, &allowed), "{expression}");
    }
    for expression in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "Apache-2.0",
        "(MIT OR GPL-3.0) AND GPL-3.0",
        "(MIT",
        "MIT MIT",
        "MIT OR",
    ] {
        assert!(!licence::holds(expression, &allowed), "{expression}");
    }
    let wrong = strange_licences("a v1|MIT\nb v2|GPL-3.0\n\nc v3|\n", &allowed);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].contains("b v2: GPL-3.0"), "{wrong:?}");
}

const LOCK: &str = "
[[package]]
name = \"here\"
version = \"0.1.0\"
dependencies = [
 \"old 1.0.0\",
]

[[package]]
name = \"old\"
version = \"1.0.0\"
source = \"registry+https://index\"

[[package]]
name = \"old\"
version = \"2.0.0\"
source = \"git+https://somewhere\"
";

#[test]
fn several_versions_and_strange_sources_are_found_and_a_skip_without_use_is_too() {
    let locked = locked(LOCK);
    assert_eq!(locked.len(), 3);
    assert_eq!(several_versions(&locked, &set(&[])).len(), 1);
    assert_eq!(several_versions(&locked, &set(&["old@1.0.0"])).len(), 0);
    let unused = several_versions(&locked, &set(&["old@1.0.0", "old@0.9.0"]));
    assert!(unused[0].contains("old@0.9.0"), "{unused:?}");
    let strange = strange_sources(&locked, &set(&["https://index"]));
    assert_eq!(strange, ["old 2.0.0 comes from git+https://somewhere"]);
}
