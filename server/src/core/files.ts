/**
 * The operations on files whose contents must survive a crash of the host. The signer uses only these
 * operations for its records, so that a simulation can replace the disk.
 */
export interface Files {
  /**
   * Opens an existing file for reading and writing.
   * @throws an error with the code ENOENT if the file does not exist
   */
  open(path: string): Promise<OpenFile>
  /**
   * Creates a private file with mode 0600. Its contents are durable once the promise resolves, but its name is
   * durable only after `syncFolder`. A file that cannot be written in full is removed again.
   * @throws an error with the code EEXIST if another file has this name already; that file is not changed
   */
  create(path: string, text: string): Promise<void>
  /**
   * Gives an existing file a second name.
   * @throws an error with the code EEXIST if another file has the second name already; that file is not
   * changed
   */
  link(path: string, secondPath: string): Promise<void>
  /**
   * Removes this name of a file. If the file has a second name (see `link`), it stays under that name. Does
   * nothing if no file has this name.
   */
  remove(path: string): Promise<void>
  exists(path: string): Promise<boolean>
  /**
   * Syncs a folder to disk, so that added and removed names are not lost in a crash. Syncing a file does not
   * make its name durable.
   */
  syncFolder(path: string): Promise<void>
}

/** A file that is open. After `close`, every operation but another `close` is rejected. */
export interface OpenFile {
  /**
   * Reads bytes from an offset of the file until the buffer is full or the file ends. Returns the number of
   * bytes that were read.
   */
  read(bytes: Buffer, offset: number): Promise<number>
  /**
   * Writes bytes at an offset of the file. Returns the number of bytes that were written, which may be
   * smaller without an error when the disk fills up. If the file ends before the offset, zeros fill the gap.
   */
  write(bytes: Buffer, offset: number): Promise<number>
  /** Removes everything from an offset on, or appends zeros up to it. */
  truncate(length: number): Promise<void>
  /** Syncs the file's data to disk, including data that other processes wrote. */
  datasync(): Promise<void>
  close(): Promise<void>
}
