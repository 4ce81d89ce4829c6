//! Files that are written whole or not at all.
//!
//! The crate tempfile makes the new file, renames it and removes it again if anything fails. Two
//! things are added here: content and name are on the disk before the caller continues, and errors
//! name neither the new file nor its folder, because the caller names the file that was wanted.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file whole or not at all: to a new file beside it, which takes its place once it
/// is safely on the disk. Whatever fails, the old file stays as it was and nothing is left
/// behind; only a process that is killed outright can leave the new file, whose name says that
/// it is not finished. A symbolic link is replaced, and what it leads to stays.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    let file = synchronised(path, content)?;
    file.persist(path).map_err(|failed| failed.error)?;
    sync_folder(path)
}

/// The same for a file that must not exist yet: one that does is an error
/// ([`ErrorKind::AlreadyExists`]), even if it was made a moment ago.
pub fn write_new(path: &Path, content: &[u8]) -> Result<()> {
    let file = synchronised(path, content)?;
    file.persist_noclobber(path)
        .map_err(|failed| failed.error)?;
    sync_folder(path)
}

/// Whether a file can be written there, found out by making the new file and removing it.
pub fn check_writable(path: &Path) -> Result<()> {
    unfinished(path).map(drop)
}

/// A new file beside `path` with this content, which is on the disk.
fn synchronised(path: &Path, content: &[u8]) -> Result<NamedTempFile> {
    let mut file = unfinished(path)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// A new file in the folder of `path`, under a short name that no other process or thread uses;
/// removed when it is dropped, unless it has replaced another.
fn unfinished(path: &Path) -> Result<NamedTempFile> {
    if path.is_dir() {
        let reason = "it is a folder; name a file in it";
        return Err(Error::new(ErrorKind::IsADirectory, reason));
    }
    if path.file_name().is_none() {
        let reason = "it names no file; add a file name";
        return Err(Error::new(ErrorKind::InvalidInput, reason));
    }
    // Opened here, not by tempfile: as any file of this user, whereas tempfile lets no other user
    // read it, and with the bare error. `create_new` follows no link and opens nothing that exists.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    tempfile::Builder::new()
        .prefix(".reticent-")
        .suffix(".unfinished")
        .make_in(folder(path), open)
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the new name of a file last through a power cut, where folders can be synchronised.
fn sync_folder(path: &Path) -> Result<()> {
    // A folder that may be written but not read cannot be opened; the file is there nevertheless.
    if cfg!(unix)
        && let Ok(folder) = File::open(folder(path))
    {
        folder.sync_all()?;
    }
    Ok(())
}
