//! `reticent schema`: a template without reading any value, unless a person asks by name.

mod run;

use std::fs;

use reticent::table::Schema;
use run::{Folder, reticent};

const TABLE: &str = "age,town,ill\n31,Ulm,no\n77,?,yes\n45,Rom,no\n";

#[test]
fn the_template_is_made_from_the_header_alone() {
    let folder = Folder::new("header");
    let file = folder.with("t.csv", TABLE);
    let one = reticent(&format!("schema {file} --target ill"));
    assert_eq!((one.code, one.err.as_str()), (0, ""));
    let other = folder.with("t.csv", "age,town,ill\n999,Secret,perhaps\n");
    assert_eq!(
        reticent(&format!("schema {other} --target ill")).out,
        one.out
    );
    let unfinished = Schema::from_toml(&one.out).unwrap_err().to_string();
    for need in ["kind of 'age'", "kind of 'town'", "range of 'ill'"] {
        assert!(unfinished.contains(need), "{unfinished}");
    }
    // Filled in as its comments say, it is a schema.
    let filled = one
        .out
        .replacen(
            "# kind = \"numeric\"\n# bounds = [LOW, HIGH]",
            "kind = \"numeric\"\nbounds = [0, 120]",
            1,
        )
        .replacen(
            "name = \"town\"\n",
            "name = \"town\"\nkind = \"ignored\"\n",
            1,
        )
        .replacen(
            "# classes = [\"NEGATIVE\", \"POSITIVE\"]",
            "classes = [\"no\", \"yes\"]",
            1,
        );
    let schema = Schema::from_toml(&filled).unwrap();
    assert_eq!(schema.features(), ["age"]);
}

#[test]
fn without_header_only_the_number_of_fields_is_told() {
    let folder = Folder::new("numbered");
    let file = folder.with("t.csv", "Secret;31\n");
    let run = reticent(&format!("schema {file} --no-header --delimiter ;"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("field2") && !run.out.contains("field3"));
    assert!(run.out.contains("header = false") && run.out.contains("delimiter = \";\""));
    assert!(!run.out.contains("Secret"));
}

#[test]
fn values_are_taken_by_name_only_with_a_warning_and_a_mark() {
    let folder = Folder::new("values");
    let file = folder.with("t.csv", TABLE);
    let run = reticent(&format!(
        "schema {file} --target ill --from-values age,town,ill"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("not private"), "{}", run.err);
    let schema = Schema::from_toml(&run.out).unwrap();
    assert_eq!(
        schema.features(),
        ["age", "town=Rom", "town=Ulm", "town=other"]
    );
    assert_eq!(schema.not_private().len(), 3);
    assert!(run.out.contains("bounds = [31.0, 77.0]"), "{}", run.out);
    let run = reticent(&format!("schema {file} --from-values height"));
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("no column 'height'; the file has '"),
        "{}",
        run.err
    );
}

#[test]
fn a_file_is_not_replaced_by_accident() {
    let folder = Folder::new("out");
    let file = folder.with("t.tsv", "a\tb\n");
    let out = folder.0.join("s.toml").display().to_string();
    let ask = format!("schema {file} --out {out}");
    let first = reticent(&ask);
    assert_eq!((first.code, first.out.as_str()), (0, ""), "{}", first.err);
    let written = fs::read_to_string(&out).unwrap();
    assert!(written.contains("name = \"b\"") && written.contains("\\t"));
    fs::write(&out, "mine").unwrap();
    let second = reticent(&ask);
    assert_eq!(second.code, 1);
    assert!(second.err.contains("add --overwrite"), "{}", second.err);
    assert_eq!(fs::read_to_string(&out).unwrap(), "mine");
    assert_eq!(reticent(&format!("{ask} --overwrite")).code, 0);
    assert_eq!(fs::read_to_string(&out).unwrap(), written);
}

#[test]
fn a_file_without_names_is_refused() {
    let folder = Folder::new("libsvm");
    let file = folder.with("a9a", "1 1:1\n");
    let run = reticent(&format!("schema {file}"));
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("needs no schema"), "{}", run.err);
    let run = reticent("schema /no/such/file.csv");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("no such file"), "{}", run.err);
}
