/**
 * Simulates the files of one host in memory. For each file, it keeps both the written contents and the
 * durable contents. A crash loses all or a part of what was not synced. The result does not depend on time or
 * chance: the function that is passed to `crash` decides what is kept.
 */
import { posix } from 'node:path'
import { assert } from '../src/core/assert.ts'
import type { Files, OpenFile } from '../src/core/files.ts'
import { GrowingBytes } from './growing-bytes.ts'

export interface FileOperation {
  readonly type: keyof Files | keyof OpenFile
  readonly path: string
}

/** A change that every reader sees but that is not durable yet. */
export interface UnsyncedChange {
  readonly type: 'write' | 'truncate' | 'name'
  readonly path: string
  /**
   * The number of bytes of a write. Every other change has the size 1, because it is kept entirely or not at
   * all.
   */
  readonly size: number
}

/**
 * Decides how much of a change survives a crash, from 0 to its size. A write is torn if only a part of it
 * survives. The function is called once for each change, in the order of the changes. A disk may write
 * changes in any order, so a later change may survive although an earlier one is lost.
 */
export type KeptPart = (change: UnsyncedChange) => number

/** The contents of all files at one time, by path. */
export type FilesSnapshot = ReadonlyMap<string, Buffer>

/** The files as one process sees them. */
export interface ProcessFiles extends Files {
  /**
   * Ends the process as SIGKILL does. Its later operations fail, and its waiting operations have no effect.
   * Its written data remains visible, but a crash of the host can still lose what was not synced.
   */
  kill(): void
}

/** Thrown by the operations of a process that was killed or whose host crashed. */
export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError'
}

/** The contents of a file. A file may have several names. While it is open, it may have none. */
interface Contents {
  written: GrowingBytes
  durable: GrowingBytes
}

interface Change extends UnsyncedChange {
  /** The file or folder that must be synced to make the change durable. */
  readonly of: Contents | string
  makeDurable(size: number): void
}

interface Process {
  hasEnded: boolean
}

const nothing: KeptPart = () => 0

export class MemoryFiles {
  /**
   * This function is called before each operation takes effect. The operation waits for the returned promise
   * and fails with its error. A simulation uses it to stop or kill a process or to crash the host.
   */
  beforeEach: (operation: FileOperation) => Promise<void> = async () => {}
  #names = new Map<string, Contents>()
  readonly #durableNames = new Map<string, Contents>()
  readonly #processes = new Set<Process>()
  #unsynced: Change[] = []

  /** Starts a process and returns the files as it sees them. */
  mount(): ProcessFiles {
    const process: Process = { hasEnded: false }
    this.#processes.add(process)
    const perform = <T>(type: keyof Files, path: string, work: () => T) =>
      this.#perform(process, { type, path }, work)
    return {
      open: (path) => perform('open', path, () => this.#openFile(process, path, this.#existing(path))),
      create: (path, text) => this.#createSynced(process, path, Buffer.from(text)),
      link: (path, secondPath) =>
        perform('link', secondPath, () => this.#setName(secondPath, this.#existing(path))),
      remove: (path) => perform('remove', path, () => this.#removeName(path)),
      exists: (path) => perform('exists', path, () => this.#names.has(path)),
      syncFolder: (path) => perform('syncFolder', path, () => this.#sync(path)),
      kill: () => this.#end(process),
    }
  }

  /** Crashes the host. All processes end. Only durable data and the changes that `keptPart` keeps remain. */
  crash(keptPart: KeptPart = nothing): void {
    for (const process of this.#processes) this.#end(process)
    for (const change of this.#unsynced) {
      const { type, path, size } = change
      const kept = keptPart({ type, path, size })
      assert(Number.isInteger(kept) && kept >= 0 && kept <= size, `${kept} of ${size} bytes are kept`)
      if (kept > 0) change.makeDurable(kept)
    }
    this.#unsynced = []
    this.#names = new Map(this.#durableNames)
    for (const contents of this.#names.values()) contents.written = GrowingBytes.of(contents.durable.copy())
  }

  /** Returns copies of all files with the contents that a reader sees now. */
  snapshot(): FilesSnapshot {
    return new Map([...this.#names].map(([path, { written }]) => [path, written.copy()]))
  }

  /**
   * Replaces files by those of a snapshot and makes them durable. A path that is not in the snapshot is
   * removed. End all processes first: an open file keeps its old contents, without a name.
   * @param only the paths to restore; by default all. The files at other paths do not change.
   */
  restore(snapshot: FilesSnapshot, { only }: { readonly only?: readonly string[] } = {}): void {
    const paths = new Set(only ?? [...this.#names.keys(), ...this.#durableNames.keys(), ...snapshot.keys()])
    this.#unsynced = this.#unsynced.filter(({ path }) => !paths.has(path))
    for (const path of paths) {
      const bytes = snapshot.get(path)
      const contents = bytes && { written: GrowingBytes.of(bytes), durable: GrowingBytes.of(bytes) }
      for (const names of [this.#names, this.#durableNames]) {
        if (contents === undefined) names.delete(path)
        else names.set(path, contents)
      }
    }
  }

  async #perform<T>(process: Process, operation: FileOperation, work: () => T): Promise<T> {
    requireRunning(process, operation)
    await this.beforeEach(operation)
    requireRunning(process, operation)
    return work()
  }

  #end(process: Process): void {
    process.hasEnded = true
    this.#processes.delete(process)
  }

  #openFile(process: Process, path: string, contents: Contents): OpenFile {
    let isClosed = false
    const perform = async <T>(type: keyof OpenFile, work: () => T) => {
      if (isClosed) throw fileError('EBADF', 'file closed')
      return this.#perform(process, { type, path }, work)
    }
    return {
      read: (bytes, offset) => perform('read', () => contents.written.read(bytes, offset)),
      write: (bytes, offset) =>
        perform('write', () => this.#write(path, contents, Buffer.from(bytes), offset)),
      truncate: (length) => perform('truncate', () => this.#truncate(path, contents, length)),
      datasync: () => perform('datasync', () => this.#sync(contents)),
      close: async () => {
        // A killed process may still run cleanup code. A second error here would hide the first one.
        if (isClosed || process.hasEnded) return
        await this.beforeEach({ type: 'close', path })
        isClosed = true
      },
    }
  }

  #existing(path: string): Contents {
    const contents = this.#names.get(path)
    if (contents === undefined) throw fileError('ENOENT', `no such file: ${path}`)
    return contents
  }

  async #createSynced(process: Process, path: string, bytes: Buffer): Promise<void> {
    const contents: Contents = { written: new GrowingBytes(), durable: new GrowingBytes() }
    await this.#perform(process, { type: 'create', path }, () => {
      this.#setName(path, contents)
      this.#write(path, contents, bytes, 0)
    })
    try {
      await this.#perform(process, { type: 'datasync', path }, () => this.#sync(contents))
    } catch (error) {
      if (!process.hasEnded) this.#removeName(path)
      throw error
    }
  }

  #setName(path: string, contents: Contents): void {
    if (this.#names.has(path)) throw fileError('EEXIST', `file already exists: ${path}`)
    this.#names.set(path, contents)
    this.#change('name', path, posix.dirname(path), 1, () => this.#durableNames.set(path, contents))
  }

  #removeName(path: string): void {
    if (!this.#names.delete(path)) return
    this.#change('name', path, posix.dirname(path), 1, () => this.#durableNames.delete(path))
  }

  #write(path: string, contents: Contents, bytes: Buffer, offset: number): number {
    if (bytes.length === 0) return 0
    contents.written.write(bytes, offset)
    this.#change('write', path, contents, bytes.length, (size) =>
      contents.durable.write(bytes.subarray(0, size), offset),
    )
    return bytes.length
  }

  #truncate(path: string, contents: Contents, length: number): void {
    contents.written.truncate(length)
    this.#change('truncate', path, contents, 1, () => contents.durable.truncate(length))
  }

  #change(
    type: Change['type'],
    path: string,
    of: Change['of'],
    size: number,
    makeDurable: (size: number) => void,
  ): void {
    this.#unsynced.push({ type, path, of, size, makeDurable })
  }

  /** Makes the unsynced changes of a file durable, or the unsynced changes of the names in a folder. */
  #sync(of: Change['of']): void {
    for (const change of this.#unsynced) if (change.of === of) change.makeDurable(change.size)
    this.#unsynced = this.#unsynced.filter((change) => change.of !== of)
  }
}

function requireRunning({ hasEnded }: Process, { type, path }: FileOperation): void {
  if (hasEnded) throw new ProcessEndedError(`The process has ended: ${type} ${path} had no effect`)
}

function fileError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}
