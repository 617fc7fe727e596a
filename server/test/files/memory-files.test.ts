import { posix } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type FileOperation,
  type FilesSnapshot,
  type KeptPart,
  MemoryFiles,
  type ProcessFiles,
} from '../../simulation/memory-files.ts'
import { createDurably } from '../../src/core/durable-file.ts'
import type { OpenFile } from '../../src/core/files.ts'
import { diceOf } from '../support/dice.ts'
import { filesConformance } from './conformance.ts'

filesConformance('the memory', async () => {
  const memory = new MemoryFiles()
  return {
    files: memory.mount(),
    folder: '/host',
    names: async () => [...memory.snapshot().keys()].map((path) => posix.basename(path)).sort(),
  }
})

filesConformance('the memory whose operations wait', async () => {
  const memory = new MemoryFiles()
  memory.beforeEach = () => new Promise(setImmediate)
  return {
    files: memory.mount(),
    folder: '/host',
    names: async () => [...memory.snapshot().keys()].map((path) => posix.basename(path)).sort(),
  }
})

const path = '/host/log'
const everything: KeptPart = ({ size }) => size

let memory: MemoryFiles
let files: ProcessFiles
let file: OpenFile

beforeEach(async () => {
  memory = new MemoryFiles()
  files = memory.mount()
  await createDurably(path, 'first ', files)
  file = await files.open(path)
})

/** Returns the text of a file as the next process reads it. */
function textOf(snapshot: FilesSnapshot = memory.snapshot(), of = path): string | undefined {
  return snapshot.get(of)?.toString()
}

function append(text: string): Promise<number> {
  return file.write(Buffer.from(text), Buffer.byteLength(textOf() ?? ''))
}

describe('a crash', () => {
  it('keeps synced bytes, and loses bytes that were only written', async () => {
    await append('second ')
    await file.datasync()
    await append('third ')
    memory.crash()
    expect(textOf()).toBe('first second ')
  })

  it('loses no more if the host crashes again', async () => {
    await append('second ')
    memory.crash(everything)
    memory.crash(({ path: at }) => {
      throw new Error(`${at} has no change`)
    })
    expect(textOf()).toBe('first second ')
  })

  it('ends every process', async () => {
    memory.crash()
    await expect(file.write(Buffer.from('x'), 0)).rejects.toThrow('The process has ended')
    await expect(files.open(path)).rejects.toThrow('The process has ended')
    expect(textOf()).toBe('first ')
  })

  it('keeps the bytes as they were written, even if the buffer changed later', async () => {
    const bytes = Buffer.from('FIRST')
    await file.write(bytes, 0)
    bytes.fill('x')
    await file.datasync()
    memory.crash()
    expect(textOf()).toBe('FIRST ')
  })

  it.each([0, 1, 3, 6, 7])('truncates a write after %i bytes', async (size) => {
    await append('second ')
    memory.crash(() => size)
    expect(textOf()).toBe(`first ${'second '.slice(0, size)}`)
  })

  it('truncates a write over other bytes, of which the rest remains', async () => {
    await file.write(Buffer.from('FIRST'), 0)
    memory.crash(() => 2)
    expect(textOf()).toBe('FIrst ')
  })

  it('asks about each change once, in the order of the changes, and decides each separately', async () => {
    await append('second ')
    await file.truncate(3)
    await append('third')
    await files.create('/host/new', 'text')
    const asked: unknown[] = []
    memory.crash((change) => {
      asked.push(change)
      return change.type === 'truncate' ? 0 : change.size
    })
    expect(asked).toEqual([
      { type: 'write', path, size: 7 },
      { type: 'truncate', path, size: 1 },
      { type: 'write', path, size: 5 },
      { type: 'name', path: '/host/new', size: 1 },
    ])
    expect(textOf()).toBe('firthirdcond ')
  })

  it('fills lost bytes before kept bytes with zeros', async () => {
    await append('second ')
    await append('third')
    memory.crash(({ size }) => (size === 5 ? size : 0))
    expect(textOf()).toBe(`first ${'\0'.repeat(7)}third`)
  })

  it('refuses an impossible number of bytes to keep', async () => {
    await append('second ')
    expect(() => memory.crash(() => 8)).toThrow('8 of 7 bytes are kept')
  })

  it('gives the same files for the same dice', async () => {
    const texts = [1, 1, 2, 3, 4].map(async (seed) => {
      const one = new MemoryFiles()
      const process = one.mount()
      await createDurably(path, '', process)
      const log = await process.open(path)
      for (let entry = 0; entry < 8; entry += 1) await log.write(Buffer.from('an entry\n'), entry * 9)
      const dice = diceOf(seed)
      one.crash(({ size }) => dice.between(0, size))
      return textOf(one.snapshot())
    })
    const [once, again, ...others] = await Promise.all(texts)
    expect(again).toBe(once)
    expect(new Set(others).size).toBe(3)
  })

  it('loses names that were not synced, of new and of removed files', async () => {
    await files.create('/host/new', 'text')
    await files.create('/elsewhere/new', 'text')
    await files.remove(path)
    await files.syncFolder('/elsewhere')
    memory.crash()
    expect([...memory.snapshot().keys()].sort()).toEqual(['/elsewhere/new', path])
  })

  it.each([0, 1, 2, 3, 4, 5])(
    'in the creation of a file, before step %i, leaves the whole file or nothing',
    async (step) => {
      for (const keptPart of [everything, () => 0]) {
        const one = new MemoryFiles()
        await failingAt(
          one,
          step,
          () => one.crash(keptPart),
          (process) => createDurably(path, 'text', process),
        )
        expect(['text', undefined]).toContain(textOf(one.snapshot()))
        if (step === 5) expect(textOf(one.snapshot())).toBe('text')
        await createDurably(path, 'again', one.mount())
        expect(textOf(one.snapshot())).toMatch(/^(text|again)$/)
      }
    },
  )
})

describe('a killed process', () => {
  it('leaves what it wrote to the next process, but not to the next start of the host', async () => {
    await append('second ')
    files.kill()
    const next = await memory.mount().open(path)
    const bytes = Buffer.alloc(13)
    expect(await next.read(bytes, 0)).toBe(13)
    expect(bytes.toString()).toBe('first second ')
    memory.crash()
    expect(textOf()).toBe('first ')
  })

  it('changes nothing after the kill, not even by an operation that was waiting', async () => {
    let go = () => {}
    memory.beforeEach = () =>
      new Promise((resolve) => {
        go = resolve
      })
    const waiting = append('second ')
    files.kill()
    go()
    await expect(waiting).rejects.toThrow(`write ${path} had no effect`)
    await expect(file.datasync()).rejects.toThrow('The process has ended')
    await expect(files.remove(path)).rejects.toThrow('The process has ended')
    await file.close()
    expect(textOf()).toBe('first ')
  })
})

describe('the hook', () => {
  it('sees each operation before it takes effect', async () => {
    const seen: [FileOperation['type'], string, string | undefined][] = []
    memory.beforeEach = async ({ type, path: at }) => void seen.push([type, at, textOf()])
    await append('second ')
    await file.datasync()
    await file.close()
    expect(seen).toEqual([
      ['write', path, 'first '],
      ['datasync', path, 'first second '],
      ['close', path, 'first second '],
    ])
  })

  it('makes an operation fail with its error, and the process continues', async () => {
    memory.beforeEach = async ({ type }) => {
      if (type === 'datasync') throw new Error('no space left')
    }
    await append('second ')
    await expect(file.datasync()).rejects.toThrow('no space left')
    await expect(createDurably('/host/new', 'text', files)).rejects.toThrow('no space left')
    expect([...memory.snapshot().keys()]).toEqual([path])
    memory.crash()
    expect(textOf()).toBe('first ')
  })
})

describe('a snapshot', () => {
  beforeEach(async () => {
    await createDurably('/host/position', '1', files)
  })

  it('is restored durably and completely', async () => {
    const snapshot = memory.snapshot()
    await append('second ')
    await file.datasync()
    await createDurably('/host/new', 'text', files)
    await files.remove('/host/position')
    files.kill()
    memory.restore(snapshot)
    memory.crash(everything)
    expect(memory.snapshot()).toEqual(snapshot)
  })

  it('is restored in part, and leaves the other files unchanged', async () => {
    const snapshot = memory.snapshot()
    await append('second ')
    await file.datasync()
    await createDurably('/host/new', 'text', files)
    await (await files.open('/host/position')).write(Buffer.from('2'), 0)
    files.kill()
    memory.restore(snapshot, { only: [path, '/host/new'] })
    memory.crash(everything)
    expect([...memory.snapshot()].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      [path, 'first '],
      ['/host/position', '2'],
    ])
  })

  it('holds copies, which later writes do not change', async () => {
    const snapshot = memory.snapshot()
    await file.write(Buffer.from('F'), 0)
    expect(textOf(snapshot)).toBe('first ')
    memory.restore(snapshot)
    await (await memory.mount().open(path)).write(Buffer.from('X'), 0)
    expect(textOf(snapshot)).toBe('first ')
    expect(textOf()).toBe('Xirst ')
  })
})

/**
 * Runs work in a process of its own, and calls `fail` before the operation with that number, counted from 0.
 */
async function failingAt(
  host: MemoryFiles,
  step: number,
  fail: () => void,
  work: (process: ProcessFiles) => Promise<void>,
): Promise<void> {
  let steps = 0
  host.beforeEach = async () => {
    if (steps++ === step) fail()
  }
  await work(host.mount()).catch(() => {})
  expect(steps).toBeGreaterThanOrEqual(step)
  host.beforeEach = async () => {}
}
