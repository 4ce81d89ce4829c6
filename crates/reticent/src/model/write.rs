//! Files that are written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes a file whole or not at all: to a new file beside it, which takes its place once it
/// is safely on the disk. Whatever fails, the old file stays as it was and nothing is left
/// behind; only a process that is killed outright can leave the new file, whose name says that
/// it is not finished.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    if path.is_dir() {
        return Err(Error::new(
            ErrorKind::IsADirectory,
            "it is a folder; name a file in it",
        ));
    }
    let (mut file, beside) = Unfinished::beside(path)?;
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    std::fs::rename(&beside.0, path)?;
    beside.keep();
    sync_folder(path)
}

/// A new file that is removed again unless it is kept.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes one in the folder of `path`, under a name that no other process or thread uses.
    pub(super) fn beside(path: &Path) -> Result<(File, Self)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if path.file_name().is_none() {
            let reason = "it names no file; add a file name";
            return Err(Error::new(ErrorKind::InvalidInput, reason));
        }
        let nanoseconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.subsec_nanos());
        let beside = path.with_file_name(format!(
            ".reticent-{}-{}-{nanoseconds:08x}.unfinished",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        // `create_new` follows no link and opens nothing that exists.
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)?;
        Ok((file, Self(beside)))
    }

    /// It has taken its place: there is nothing to remove.
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // The error that led here is the one to report.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Makes the new name of a file last through a power cut, where folders can be synchronised.
fn sync_folder(path: &Path) -> Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        // A folder that may be written but not read can not be opened; the file is there all
        // the same.
        if let Ok(folder) = File::open(folder) {
            folder.sync_all()?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
