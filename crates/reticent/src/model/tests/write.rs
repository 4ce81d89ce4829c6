//! A file is written whole or not at all.

use std::path::{Path, PathBuf};

use super::*;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("reticent-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_model_file_is_replaced_whole_and_nothing_else_is_left() {
    let folder = Folder::new("replaced");
    let file = folder.file("model.json");
    std::fs::write(&file, "old").unwrap();
    let model = linear(true);
    model.write(&file).unwrap();
    assert_eq!(Model::read(&file).unwrap(), model);
    assert_eq!(folder.names(), ["model.json"]);
}

#[test]
fn a_folder_in_the_way_is_an_error_and_stays() {
    let folder = Folder::new("in-the-way");
    let inner = folder.file("model.json");
    std::fs::create_dir(&inner).unwrap();
    let error = linear(true).write(&inner).unwrap_err().to_string();
    assert!(
        error.contains("model.json") && error.contains("folder"),
        "{error}"
    );
    assert_eq!(folder.names(), ["model.json"]);
    assert!(inner.is_dir());
}

#[test]
fn a_folder_that_does_not_exist_is_an_error() {
    let folder = Folder::new("absent");
    let error = linear(true)
        .write(&folder.file("no/model.json"))
        .unwrap_err();
    assert!(error.to_string().contains("no/model.json"), "{error}");
    let kind = |path: &Path| write_atomically(path, b"").unwrap_err().kind();
    assert_eq!(kind(Path::new("/")), std::io::ErrorKind::IsADirectory);
    assert_eq!(kind(Path::new("")), std::io::ErrorKind::InvalidInput);
    assert_eq!(kind(&folder.file("..")), std::io::ErrorKind::IsADirectory);
    assert!(folder.names().is_empty());
}

#[cfg(unix)]
#[test]
fn an_unwritable_folder_keeps_its_old_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("unwritable");
    let file = folder.file("model.json");
    std::fs::write(&file, "old").unwrap();
    let permit = |mode| std::fs::set_permissions(&folder.0, PermissionsExt::from_mode(mode));
    permit(0o555).unwrap();
    let refused = std::fs::write(folder.file("probe"), "").is_err();
    let written = linear(true).write(&file);
    permit(0o755).unwrap();
    if refused {
        let reason = written.unwrap_err().to_string();
        assert!(
            reason.ends_with("Permission denied (os error 13)"),
            "{reason}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(folder.names(), ["model.json"]);
    } else {
        // Root may write everywhere: the test below is of a failure that even root meets.
        written.unwrap();
        assert_eq!(folder.names(), ["model.json", "probe"]);
    }
}

/// The new file is whole when its name is refused.
#[test]
fn what_fails_at_the_last_moment_leaves_nothing_behind() {
    let folder = Folder::new("last-moment");
    let file = folder.file("schema.toml");
    write_new(&file, b"first").unwrap();
    let error = write_new(&file, b"second").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&file).unwrap(), b"first");
    assert_eq!(folder.names(), ["schema.toml"]);
}

#[test]
fn to_look_whether_a_file_can_be_written_changes_nothing() {
    let folder = Folder::new("look");
    let file = folder.file("model.json");
    check_writable(&file).unwrap();
    assert!(folder.names().is_empty());
    std::fs::write(&file, "old").unwrap();
    check_writable(&file).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
    assert_eq!(folder.names(), ["model.json"]);
    let error = check_writable(&folder.file("no/model.json")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    // The caller names the file; the name of the new one would only confuse.
    assert!(!error.to_string().contains("unfinished"), "{error}");
}

/// tempfile's own files are for their owner alone.
#[cfg(unix)]
#[test]
fn a_file_has_the_permissions_of_any_other_and_a_link_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("permissions");
    let (plain, file) = (folder.file("plain"), folder.file("model.json"));
    std::fs::write(&plain, "kept").unwrap();
    std::os::unix::fs::symlink(&plain, &file).unwrap();
    write_atomically(&file, b"whole").unwrap();
    let mode = |path: &Path| {
        let facts = std::fs::symlink_metadata(path).unwrap();
        assert!(facts.is_file());
        facts.permissions().mode()
    };
    assert_eq!(mode(&file), mode(&plain));
    assert_eq!(std::fs::read(&plain).unwrap(), b"kept");
    assert_eq!(std::fs::read(&file).unwrap(), b"whole");
}

/// The new file has a short name of its own.
#[test]
fn a_file_may_have_the_longest_name_that_there_is() {
    let folder = Folder::new("long");
    let file = folder.file(&"n".repeat(255));
    write_atomically(&file, b"whole").unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"whole");
    assert_eq!(folder.names().len(), 1);
}

#[test]
fn threads_that_write_the_same_file_leave_one_of_theirs_whole() {
    let folder = Folder::new("threads");
    let file = folder.file("out");
    let contents: Vec<Vec<u8>> = (0..8).map(|i| vec![i; 100_000]).collect();
    std::thread::scope(|scope| {
        for content in &contents {
            scope.spawn(|| write_atomically(&file, content).unwrap());
        }
    });
    assert!(contents.contains(&std::fs::read(&file).unwrap()));
    assert_eq!(folder.names(), ["out"]);
}
