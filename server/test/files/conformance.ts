/**
 * The conformance tests for every implementation of the file port. The test file of each implementation calls
 * `filesConformance` with its own harness.
 */
import { posix } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDurably, streamText, writeWhole } from '../../src/core/durable-file.ts'
import type { Files, OpenFile } from '../../src/core/files.ts'

export interface FilesHarness {
  readonly files: Files
  /** An existing folder, empty at first. */
  readonly folder: string
  /** Returns the names of all files in the folder, sorted. */
  names(): Promise<readonly string[]>
}

type Harness = () => Promise<FilesHarness>

/**
 * A text longer than the parts in which texts are streamed. Its characters have three bytes and the parts
 * have a power of two bytes, so that parts end within a character.
 */
const longText = `zw${'€'.repeat(100_000)}`

export function filesConformance(name: string, harness: Harness): void {
  describe(`${name} meets the contract of the file port`, () => {
    describe('names', () => promisesOfNames(harness))
    describe('atomic creation', () => promisesOfAtomicCreation(harness))
    describe('contents', () => promisesOfContents(harness))
    describe('streams', () => promisesOfStreams(harness))
    describe('closing', () => promisesOfClosing(harness))
  })
}

function promisesOfNames(harness: Harness): void {
  it('refuses to open a missing file, and creates none', async () => {
    const { files, folder, names } = await harness()
    await expect(files.open(`${folder}/missing`)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await files.exists(`${folder}/missing`)).toBe(false)
    expect(await names()).toEqual([])
  })

  it('creates a file with its text, and never replaces one', async () => {
    const { files, folder, names } = await harness()
    await files.create(`${folder}/one`, 'first')
    await expect(files.create(`${folder}/one`, 'second')).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await files.exists(`${folder}/one`)).toBe(true)
    expect(await textAt(files, `${folder}/one`)).toBe('first')
    expect(await names()).toEqual(['one'])
  })

  it('gives a file a second name, and never takes the name of another file', async () => {
    const { files, folder } = await harness()
    await files.create(`${folder}/one`, 'first')
    await files.create(`${folder}/two`, 'second')
    await files.link(`${folder}/one`, `${folder}/three`)
    expect(await textAt(files, `${folder}/three`)).toBe('first')
    await expect(files.link(`${folder}/one`, `${folder}/two`)).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await textAt(files, `${folder}/two`)).toBe('second')
    await expect(files.link(`${folder}/missing`, `${folder}/four`)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('removes one name, and keeps the file while it has another or is open', async () => {
    const { files, folder, names } = await harness()
    await files.create(`${folder}/one`, 'text')
    await files.link(`${folder}/one`, `${folder}/two`)
    await files.remove(`${folder}/one`)
    expect(await names()).toEqual(['two'])
    const file = await files.open(`${folder}/two`)
    await files.remove(`${folder}/two`)
    expect(await names()).toEqual([])
    expect(await textOf(file)).toBe('text')
    await file.close()
    await files.remove(`${folder}/two`)
  })

  it('syncs a folder, also an empty one', async () => {
    const { files, folder } = await harness()
    await files.syncFolder(folder)
    await files.create(`${folder}/one`, '')
    await files.syncFolder(folder)
  })
}

function promisesOfAtomicCreation(harness: Harness): void {
  it('leaves no draft behind, and keeps an existing file', async () => {
    const { files, folder, names } = await harness()
    await createDurably(`${folder}/keys`, 'first', files)
    await createDurably(`${folder}/keys`, 'second', files)
    expect(await textAt(files, `${folder}/keys`)).toBe('first')
    expect(await names()).toEqual(['keys'])
  })

  it('lets one of many writers succeed, and every reader sees its whole text', async () => {
    const { files, folder, names } = await harness()
    const path = `${folder}/keys`
    const seen = await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        await createDurably(path, longText + writer, files)
        return textAt(files, path)
      }),
    )
    expect(new Set(seen).size).toBe(1)
    expect(seen[0]?.startsWith(longText)).toBe(true)
    expect(await names()).toEqual(['keys'])
  })
}

function promisesOfContents(harness: Harness): void {
  it('writes at an offset, over existing bytes and beyond the end', async () => {
    const file = await openWith(harness, 'abcdef')
    expect(await file.write(Buffer.from('XY'), 2)).toBe(2)
    expect(await textOf(file)).toBe('abXYef')
    expect(await file.write(Buffer.from('gh'), 6)).toBe(2)
    expect(await textOf(file)).toBe('abXYefgh')
    await writeWhole(file, 'z', 10)
    expect(await textOf(file)).toBe('abXYefgh\0\0z')
  })

  it('copies the bytes, so that the caller may change them afterwards', async () => {
    const file = await openWith(harness, '')
    const bytes = Buffer.from('kept')
    await file.write(bytes, 0)
    bytes.fill('x')
    await file.datasync()
    expect(await textOf(file)).toBe('kept')
  })

  it('reads from an offset up to the end, and leaves the rest of the buffer as it is', async () => {
    const file = await openWith(harness, 'abcdef')
    const bytes = Buffer.from('....')
    expect(await file.read(bytes, 1)).toBe(4)
    expect(bytes.toString()).toBe('bcde')
    bytes.fill('.')
    expect(await file.read(bytes, 4)).toBe(2)
    expect(bytes.toString()).toBe('ef..')
    expect(await file.read(bytes, 6)).toBe(0)
    expect(await file.read(bytes, 100)).toBe(0)
    expect(bytes.toString()).toBe('ef..')
  })

  it('truncates to fewer bytes for good, and extends with zeros', async () => {
    const file = await openWith(harness, 'abcdef')
    await file.truncate(2)
    expect(await textOf(file)).toBe('ab')
    await file.truncate(4)
    expect(await textOf(file)).toBe('ab\0\0')
    await file.truncate(0)
    await file.datasync()
    expect(await textOf(file)).toBe('')
  })

  it('shows a write of one holder of a file to every other', async () => {
    const { files, folder } = await harness()
    await files.create(`${folder}/one`, 'abc')
    const one = await files.open(`${folder}/one`)
    const other = await files.open(`${folder}/one`)
    await one.write(Buffer.from('X'), 1)
    expect(await textOf(other)).toBe('aXc')
    await one.close()
    expect(await textOf(other)).toBe('aXc')
    await other.close()
  })
}

function promisesOfStreams(harness: Harness): void {
  it('streams a long text in parts, with whole characters, any number of times', async () => {
    const file = await openWith(harness, longText)
    for (const _ of [1, 2]) {
      const parts: string[] = []
      for await (const part of streamText(file)) parts.push(part)
      expect(parts.length).toBeGreaterThan(1)
      expect(parts.join('') === longText).toBe(true)
    }
  })

  it('streams nothing of an empty file', async () => {
    const file = await openWith(harness, '')
    expect(await textOf(file)).toBe('')
  })

  it('leaves the file open after an abandoned stream', async () => {
    const file = await openWith(harness, longText)
    for await (const part of streamText(file)) {
      expect(longText.startsWith(part)).toBe(true)
      break
    }
    await file.truncate(2)
    await file.write(Buffer.from('!'), 2)
    await file.datasync()
    expect(await textOf(file)).toBe('zw!')
  })
}

function promisesOfClosing(harness: Harness): void {
  const operations: readonly [string, (file: OpenFile) => Promise<unknown>][] = [
    ['read', (file) => file.read(Buffer.alloc(1), 0)],
    ['write', (file) => file.write(Buffer.from('x'), 0)],
    ['truncate', (file) => file.truncate(0)],
    ['datasync', (file) => file.datasync()],
    ['stream', (file) => textOf(file)],
  ]

  it.each(operations)('makes %s reject afterwards and change nothing', async (_, operation) => {
    const { files, folder } = await harness()
    await files.create(`${folder}/one`, 'text')
    const file = await files.open(`${folder}/one`)
    await file.close()
    await expect(operation(file)).rejects.toThrow()
    expect(await textAt(files, `${folder}/one`)).toBe('text')
  })

  it('may be repeated', async () => {
    const file = await openWith(harness, 'text')
    await file.close()
    await file.close()
  })

  it('does not wait for a stream, whether read to its end or abandoned', async () => {
    const file = await openWith(harness, longText)
    await textOf(file)
    for await (const part of streamText(file)) if (part !== '') break
    await file.close()
    await expect(file.datasync()).rejects.toThrow()
  })
}

/** Creates a file with a text, and opens it until the test ends. */
async function openWith(harness: Harness, text: string): Promise<OpenFile> {
  const { files, folder } = await harness()
  const path = posix.join(folder, 'one')
  await files.create(path, text)
  const file = await files.open(path)
  onTestFinished(() => file.close())
  return file
}

async function textAt(files: Files, path: string): Promise<string> {
  const file = await files.open(path)
  try {
    return await textOf(file)
  } finally {
    await file.close()
  }
}

async function textOf(file: OpenFile): Promise<string> {
  let text = ''
  for await (const part of streamText(file)) text += part
  return text
}
