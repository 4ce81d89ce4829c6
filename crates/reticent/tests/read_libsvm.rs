//! Files of LIBSVM text: compressed in every way, damaged, absent; and the real ones.

mod real;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use real::real;
use reticent::table::{ReadError, ReadProblem, Reading, Table, Target, WantedTarget, read};

/// A folder of its own for each test, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("reticent-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const CLASSES: Reading = Reading {
    wanted: WantedTarget::Classes(None),
    columns: None,
    zero_based: false,
    schema: None,
    progress: &|_, _| {},
};

/// Two thousand records, none like the other.
fn text() -> Vec<u8> {
    let mut text = Vec::new();
    for i in 0..2000u32 {
        let label = if i % 3 == 0 { "+1" } else { "-1" };
        writeln!(text, "{label} {}:{}.25 {}:{i}", 1 + i % 70, i, 100 + i % 13).unwrap();
    }
    text
}

type Compress = fn(&[u8]) -> Vec<u8>;

const COMPRESSIONS: [(&str, Compress); 4] = [
    ("gz", |bytes| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }),
    ("bz2", |bytes| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), Default::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }),
    ("xz", |bytes| {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }),
    ("zst", |bytes| zstd::encode_all(bytes, 3).unwrap()),
];

/// Compression is recognised by content: the names here mislead.
#[test]
fn compressed_files_give_the_same_table() {
    let folder = Folder::new("compressed");
    let plain = read(&folder.file("plain.gz", &text()), &CLASSES).unwrap();
    assert_eq!(plain.features.rows(), 2000);
    for (name, compress) in COMPRESSIONS {
        let path = folder.file(&format!("{name}.txt"), &compress(&text()));
        assert_eq!(read(&path, &CLASSES).unwrap(), plain, "{name}");
    }
}

#[test]
fn joined_streams_are_read_whole() {
    let folder = Folder::new("joined");
    let plain = read(&folder.file("plain", &text()), &CLASSES).unwrap();
    let text = text();
    // In the middle of a line, so that a lost part cannot pass for a shorter file.
    let (first, second) = text.split_at(text.len() / 2 + 3);
    for (name, compress) in COMPRESSIONS {
        let joined = [compress(first), compress(second)].concat();
        let path = folder.file(name, &joined);
        assert_eq!(read(&path, &CLASSES).unwrap(), plain, "{name}");
    }
}

fn assert_damaged(result: Result<Table, ReadError>, path: &Path, what: &str) {
    let error = result.expect_err(what);
    assert!(
        matches!(error.problem, ReadProblem::Damaged(_)),
        "{what}: {error}"
    );
    let message = error.to_string();
    let start = format!("{}: the compressed stream ends early", path.display());
    assert!(message.starts_with(&start), "{what}: {message}");
    assert!(
        message.ends_with("fetch the file again"),
        "{what}: {message}"
    );
}

#[test]
fn a_truncated_stream_is_an_error_wherever_it_is_cut() {
    let folder = Folder::new("truncated");
    for (name, compress) in COMPRESSIONS {
        let whole = compress(&text());
        let last = whole.len() - 1;
        for length in [6, 11, 19, whole.len() / 2, last - 8, last - 3, last] {
            let path = folder.file(name, &whole[..length]);
            let what = format!("{name} cut to {length} of {}", whole.len());
            assert_damaged(read(&path, &CLASSES), &path, &what);
        }
        let second_cut = [&whole[..], &whole[..whole.len() / 2]].concat();
        let path = folder.file(name, &second_cut);
        assert_damaged(
            read(&path, &CLASSES),
            &path,
            "the second of two streams is cut",
        );
    }
}

#[test]
fn a_wrong_checksum_is_an_error() {
    let folder = Folder::new("checksum");
    for (name, compress) in COMPRESSIONS.into_iter().filter(|(name, _)| *name != "zst") {
        let mut damaged = compress(&text());
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x10;
        let path = folder.file(name, &damaged);
        assert_damaged(read(&path, &CLASSES), &path, name);
    }
}

#[test]
fn what_is_no_file_is_said() {
    let folder = Folder::new("no-file");
    let problem = |path: &Path| read(path, &CLASSES).unwrap_err().problem;
    assert!(matches!(problem(&folder.0), ReadProblem::Directory));
    assert!(matches!(
        problem(&folder.0.join("absent")),
        ReadProblem::NoFile
    ));
    let empty = folder.file("empty", b"");
    assert!(matches!(problem(&empty), ReadProblem::Empty));
    let short = folder.file("short", b"1");
    assert!(matches!(problem(&short), ReadProblem::OneClass));
}

#[test]
fn progress_ends_at_the_size_of_the_file() {
    let folder = Folder::new("progress");
    let (name, compress) = COMPRESSIONS[0];
    let path = folder.file(name, &compress(&text()));
    let size = fs::metadata(&path).unwrap().len();
    let last = AtomicU64::new(0);
    let progress = |read: u64, total: u64| {
        assert_eq!(total, size);
        assert!(read >= last.swap(read, Ordering::SeqCst));
    };
    let reading = Reading {
        progress: &progress,
        ..CLASSES
    };
    read(&path, &reading).unwrap();
    assert_eq!(last.load(Ordering::SeqCst), size);
}

fn shape(table: &Table) -> (usize, usize, usize) {
    let features = &table.features;
    (features.rows(), features.width(), features.entries())
}

#[test]
fn a9a_has_its_published_figures() {
    let Some(path) = real("a9a.xz") else { return };
    let table = read(&path, &CLASSES).unwrap();
    assert_eq!(shape(&table), (32561, 123, 451_592));
    let Target::Classes { class, names } = &table.target else {
        panic!("two classes");
    };
    assert_eq!(class.iter().filter(|&&class| class == 1).count(), 7841);
    assert_eq!(names, &["-1", "1"]);
    assert_eq!(table.assumed.len(), 2);
}

#[test]
fn news20_has_its_published_figures() {
    let Some(path) = real("news20.xz") else {
        return;
    };
    let classes = "low=1|2|3|4|5|6|7|8|9|10,high=*";
    let classes = reticent::table::ClassPattern::parse_list(classes).unwrap();
    let declared = Reading {
        wanted: WantedTarget::Classes(Some(&classes)),
        columns: Some(62061),
        ..CLASSES
    };
    let table = read(&path, &declared).unwrap();
    assert_eq!(shape(&table), (15935, 62061, 1_272_569));
    assert!(table.assumed.is_empty());
    let undeclared = read(&path, &CLASSES).unwrap_err();
    assert!(matches!(undeclared.problem, ReadProblem::ManyClasses));
    let several = Reading {
        wanted: WantedTarget::MultipleClasses(None),
        ..CLASSES
    };
    let Target::Classes { class, names } = read(&path, &several).unwrap().target else {
        panic!("several classes");
    };
    let in_order: Vec<String> = (1..=20).map(|class| class.to_string()).collect();
    assert_eq!(names, in_order);
    let mut counts = [0; 20];
    class.iter().for_each(|&class| counts[class as usize] += 1);
    assert!(
        counts.iter().all(|count| (600..=1000).contains(count)),
        "{counts:?}"
    );
}
