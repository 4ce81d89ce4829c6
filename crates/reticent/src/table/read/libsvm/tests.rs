//! What is written is read back, whatever the block size, and every fault is found in its place.

use proptest::prelude::*;

use super::*;
use crate::testing::pairs;

/// Nothing declared, numbers wanted.
const PLAIN: Reading = Reading {
    wanted: WantedTarget::Values,
    columns: None,
    zero_based: false,
    schema: None,
    progress: &|_, _| {},
};

fn parse(text: &[u8], reading: &Reading, block: usize) -> Result<Table<'static>, ReadError> {
    read(
        Source::new(text).unwrap(),
        Path::new("file"),
        reading,
        block,
    )
}

/// The same for blocks of a byte, of a few, and of the whole.
fn parse_any(text: &[u8], reading: &Reading) -> Result<Table<'static>, String> {
    let parsed = |block| parse(text, reading, block).map_err(|error| format!("{error:?}"));
    let whole = parsed(BLOCK);
    for block in [1, 2, 7, 30] {
        assert_eq!(parsed(block), whole, "block of {block}");
    }
    whole
}

fn rows(table: &Table) -> Vec<Vec<(usize, f32)>> {
    let row = |i| {
        let mut row = Vec::new();
        table
            .features
            .for_row(i, |column, value| row.push((column, value)));
        row
    };
    (0..table.features.rows()).map(row).collect()
}

/// Where a fault is found, and which.
fn fault(text: &str, reading: &Reading) -> (u64, u64, String) {
    parse_any(text.as_bytes(), reading).expect_err("must be refused");
    let error = parse(text.as_bytes(), reading, BLOCK).unwrap_err();
    let place = (error.line.unwrap_or(0), error.column.unwrap_or(0));
    (place.0, place.1, format!("{:?}", error.problem))
}

#[test]
fn the_grammar_is_as_documented() {
    let text = "+1 1:0.5 3:2  # comment 9:x\r\n\
                # only a comment\n\
                \n \t \n\
                -1.5e0\tqid:7\t2:+1e-3\t4294967295:-.25#end\n\
                0\n\
                2 1:0 2:5. 7:-0.0";
    let table = parse_any(text.as_bytes(), &PLAIN).unwrap();
    assert_eq!(table.target, Target::Values(vec![1.0, -1.5, 0.0, 2.0]));
    let expected = [
        vec![(0, 0.5), (2, 2.0)],
        vec![(1, 1e-3), (4_294_967_294, -0.25)],
        vec![],
        vec![(1, 5.0)],
    ];
    assert_eq!(rows(&table), expected);
    assert_eq!(
        table.assumed,
        ["the number of columns (4294967295) was taken from the file"]
    );
}

#[test]
fn zero_based_columns_are_declared() {
    let reading = Reading {
        zero_based: true,
        columns: Some(4),
        ..PLAIN
    };
    let table = parse_any(b"1 0:5 3:6\n", &reading).unwrap();
    assert_eq!(rows(&table), [[(0, 5.0), (3, 6.0)]]);
    assert_eq!(table.layout, Layout::Numbered { first: 0, width: 4 });
    assert!(table.assumed.is_empty());
}

/// The width is that of the indices, not of the entries that are kept.
#[test]
fn explicit_zeros_count_for_the_width_only() {
    let table = parse_any(b"1 1:2 9:0\n", &PLAIN).unwrap();
    assert_eq!((table.features.width(), table.features.entries()), (9, 1));
}

#[test]
fn every_fault_is_found_in_its_place() {
    for (text, line, column, problem) in [
        ("1 1:1\n3:4 5:6\n", 2, 1, "LabelMissing"),
        ("1\n  # x\n  one 1:1\n", 3, 3, "LabelNotANumber"),
        ("1,3 1:1\n", 1, 1, "LabelNotANumber"),
        ("nan 1:1\n", 1, 1, "LabelNotFinite"),
        ("1\n-inf\n", 2, 1, "LabelNotFinite"),
        ("1 qid:x 1:1\n", 1, 3, "QueryId"),
        ("1 qid: 1:1\n", 1, 3, "QueryId"),
        ("1 1:1 3\n", 1, 7, "CutShort"),
        ("1 1:1 3:\n", 1, 9, "CutShort"),
        ("1 1:1 3:", 1, 9, "CutShort"),
        ("1 1:1 3: 5:1\n", 1, 9, "CutShort"),
        ("1 1:1 3 5:1\n", 1, 7, "CutShort"),
        ("1 1:1\n2 3:#\n", 2, 5, "CutShort"),
        ("1 :5\n", 1, 3, "IndexNotANumber"),
        ("1 x:5\n", 1, 3, "IndexNotANumber"),
        ("1 -1:5\n", 1, 3, "IndexNotANumber"),
        ("1 1.5:5\n", 1, 3, "IndexNotANumber"),
        ("1 1:5 qid:3\n", 1, 7, "IndexNotANumber"),
        ("1 1:5\n1 2:2 4294967296:5\n", 2, 7, "IndexTooLarge"),
        ("1 99999999999999999999999:5\n", 1, 3, "IndexTooLarge"),
        ("1 0:5\n", 1, 3, "IndexZero"),
        ("1 1:5 1:5\n", 1, 7, "IndexTwice"),
        ("1 4294967295:5 4294967295:5\n", 1, 16, "IndexTwice"),
        ("1 2:5 1:5\n", 1, 7, "IndexOrder"),
        ("1 2:5x\n", 1, 5, "ValueNotANumber"),
        ("1 2:5:6\n", 1, 5, "ValueNotANumber"),
        ("1 2:0x1F\n", 1, 5, "ValueNotANumber"),
        ("1 2:\u{662f}\n", 1, 5, "ValueNotANumber"),
        ("1 2:NaN\n", 1, 5, "ValueNotFinite"),
        ("1 2:-Infinity\n", 1, 5, "ValueNotFinite"),
        ("", 0, 0, "Empty"),
        ("\n \r\n# nothing", 0, 0, "Empty"),
    ] {
        let expected = (line, column, problem.to_owned());
        assert_eq!(fault(text, &PLAIN), expected, "{text:?}");
    }
    let declared = Reading {
        columns: Some(3),
        ..PLAIN
    };
    assert_eq!(
        rows(&parse_any(b"1 3:1\n", &declared).unwrap()),
        [[(2, 1.0)]]
    );
    assert_eq!(
        fault("1 3:1\n1 2:1 4:1\n", &declared),
        (2, 7, "IndexBeyondColumns(3)".to_owned())
    );
    assert_eq!(
        fault(
            "1\n# x\n\n1\n2\n\n3\n",
            &Reading {
                wanted: WantedTarget::Classes(None),
                ..PLAIN
            }
        ),
        (7, 0, "ManyClasses".to_owned())
    );
    let classes = super::super::ClassPattern::parse_list("1,2").unwrap();
    let wanted = WantedTarget::Classes(Some(&classes));
    assert_eq!(
        fault("\n1\n2\n# x\n3\n", &Reading { wanted, ..PLAIN }),
        (5, 0, "LabelUndeclared".to_owned())
    );
    assert_eq!(
        fault(
            "1\n1\n",
            &Reading {
                wanted: WantedTarget::Classes(None),
                ..PLAIN
            }
        ),
        (0, 0, "OneClass".to_owned())
    );
}

/// Two faults, far apart, in blocks that different threads parse.
#[test]
fn the_first_fault_of_the_file_is_reported() {
    let mut text = String::new();
    for line in 1..=2000 {
        text += match line {
            701 => "1 5:x\n",
            702..=2000 if line % 3 == 0 => "1 0:1\n",
            _ => "1 5:1\n",
        };
    }
    for block in [1, 10, 100, 1000, 5000, BLOCK] {
        let error = parse(text.as_bytes(), &PLAIN, block).unwrap_err();
        assert_eq!((error.line, error.column), (Some(701), Some(5)));
        assert!(matches!(error.problem, ReadProblem::ValueNotANumber));
    }
}

/// A message is a release: it says where to look and what to do, and quotes nothing.
#[test]
fn messages_give_place_and_remedy_and_no_content() {
    let error = parse(b"1 1:1\n1 77:secret\n", &PLAIN, BLOCK).unwrap_err();
    assert_eq!(
        error.to_string(),
        "file:2:6: the value is not a number; write it like 3, -0.5 or 1e-3"
    );
}

#[test]
fn labels_become_what_is_wanted() {
    let text = b"+1 1:1\n-1.0 1:1\n1 1:1\n";
    let read = |wanted| parse_any(text, &Reading { wanted, ..PLAIN }).unwrap();
    assert_eq!(read(WantedTarget::Nothing).target, Target::Absent);
    let classes = read(WantedTarget::Classes(None));
    let expected = Target::Classes {
        class: vec![1, 0, 1],
        names: vec!["-1".to_owned(), "1".to_owned()],
    };
    assert_eq!(classes.target, expected);
    assert_eq!(
        classes.assumed,
        [
            "the number of columns (1) was taken from the file",
            "the classes (-1 and 1) were taken from the file"
        ]
    );
}

#[test]
fn several_labels_are_classes_in_the_order_of_numbers() {
    let text = b"10 1:1\n9 1:1\n-1e0 1:1\n10.0 1:1\n";
    let read = |wanted| parse_any(text, &Reading { wanted, ..PLAIN });
    let undeclared = read(WantedTarget::MultipleClasses(None)).unwrap();
    let expected = Target::Classes {
        class: vec![2, 1, 0, 2],
        names: ["-1", "9", "10"].map(str::to_owned).to_vec(),
    };
    assert_eq!(undeclared.target, expected);
    let said = "the classes (-1, 9 and 10) were taken from the file";
    assert_eq!(undeclared.assumed[1], said);
    // Class 7 is absent, but declared.
    let four = super::super::ClassPattern::parse_list("9,7,-1,rest=*").unwrap();
    let declared = read(WantedTarget::MultipleClasses(Some(&four))).unwrap();
    let expected = Target::Classes {
        class: vec![3, 0, 2, 3],
        names: ["9", "7", "-1", "rest"].map(str::to_owned).to_vec(),
    };
    assert_eq!(declared.target, expected);
    assert_eq!(declared.assumed.len(), 1);
    let two = read(WantedTarget::Classes(Some(&four))).unwrap_err();
    assert!(two.contains("NotTwoDeclared(4)"), "{two}");
}

/// Rows of increasing columns with finite values that are not zero.
fn matrix() -> impl Strategy<Value = Vec<(f64, Vec<(u32, f32)>)>> {
    let value = any::<f32>().prop_filter("finite", |v| v.is_finite() && *v != 0.0);
    let value = prop_oneof![value, (1u8..200).prop_map(|v| f32::from(v) / 8.0)];
    let row = prop::collection::btree_map(0u32..5000, value, 0..6)
        .prop_map(|row| row.into_iter().collect());
    let label = any::<f64>().prop_filter("finite", |v| v.is_finite());
    prop::collection::vec((label, row), 1..20)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        matrix in matrix(),
        zero_based: bool,
        blanks in prop::collection::vec(" |\t|  |\t \r", 1..4),
        ends in prop::collection::vec("\n|\r\n|\n\n| # 5:nan\n|#\n \n#x\r\n", 1..4),
        block in 1usize..200,
    ) {
        let mut text = String::new();
        for (i, (label, row)) in matrix.iter().enumerate() {
            text += &match i % 2 {
                0 => format!("{label}"),
                _ => format!("{label:+e}"),
            };
            for (j, (column, value)) in row.iter().enumerate() {
                let index = column + u32::from(!zero_based);
                text += &format!("{}{index}:{value}", blanks[j % blanks.len()]);
            }
            text += &ends[i % ends.len()];
        }
        let reading = Reading { zero_based, columns: Some(5000), ..PLAIN };
        let table = parse(text.as_bytes(), &reading, block).unwrap();
        let labels = matrix.iter().map(|(label, _)| *label).collect();
        prop_assert_eq!(&table.target, &Target::Values(labels));
        for (written, read) in pairs(&matrix, rows(&table)) {
            let written = written.1.iter().map(|&(column, value)| (column as usize, value));
            prop_assert_eq!(written.collect::<Vec<_>>(), read);
        }
    }

    /// Any bytes are a table or a fault, the same for every block size.
    #[test]
    fn any_text_is_a_table_or_a_fault(text in "([0-3:.#a \n+-]|1 1:1 3:2\n){0,60}", block in 1usize..50) {
        let whole = parse(text.as_bytes(), &PLAIN, BLOCK).map_err(|e| format!("{e:?}"));
        let pieces = parse(text.as_bytes(), &PLAIN, block).map_err(|e| format!("{e:?}"));
        prop_assert_eq!(whole, pieces);
    }
}

#[test]
fn a_number_beyond_the_range_is_held_to_it_and_refuses_nothing() {
    let text = "1e999 1:1e39 2:-3.5e38\n-1e400 1:1e-60 3:1e400\n";
    let table = parse_any(text.as_bytes(), &PLAIN).unwrap();
    let (most, least) = (f32::MAX, f32::MIN);
    assert_eq!(rows(&table), [vec![(0, most), (1, least)], vec![(2, most)]]);
    assert_eq!(table.target, Target::Values(vec![f64::MAX, f64::MIN]));
}
