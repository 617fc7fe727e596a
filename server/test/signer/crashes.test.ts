/**
 * Tests the signer's records after the host stopped at any moment: before any operation on their files, with
 * any part of the unsynced changes on disk. No answered entry is lost, and no partial entry remains.
 */
import { createSecretKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type FilesSnapshot,
  type KeptPart,
  MemoryFiles,
  ProcessEndedError,
  type ProcessFiles,
} from '../../simulation/memory-files.ts'
import type { Files } from '../../src/core/files.ts'
import type { NewControlEntry } from '../../src/signer/control/control-log.ts'
import { SignLogError } from '../../src/signer/log/chained-log.ts'
import { SignerRecords } from '../../src/signer/log/records.ts'
import type { NewEntry } from '../../src/signer/log/sign-log.ts'
import { type Dice, diceOf } from '../support/dice.ts'
import { approvedPayment, askToPay, useTestSigner } from '../support/signer.ts'

const key = createSecretKey(Buffer.alloc(32, 7))
const logPath = '/signer/log'
const checkpointPath = '/medium/checkpoint'
const logPaths = ['', '.position', '.control', '.control.position'].map((end) => logPath + end)
const loss = { logPath, checkpointPath, key }

/** What a crash keeps of each change that was not synced. */
const keptParts: Readonly<Record<string, KeptPart>> = {
  nothing: () => 0,
  half: ({ size }) => Math.floor(size / 2),
  'all but the last byte': ({ size }) => size - 1,
  everything: ({ size }) => size,
}

/** The ids of the entries, in the order of each log. */
interface Ids {
  readonly signed: readonly string[]
  readonly control: readonly string[]
}

interface Opened extends Ids {
  readonly records: SignerRecords
}

interface Host {
  readonly memory: MemoryFiles
  /** The entries for which the signer has answered. */
  answered: Ids
  /** The entries whose request was not answered, because the host stopped. They may be there or not. */
  unanswered: Ids
}

const none: Ids = { signed: [], control: [] }

/** Returns an entry that is long enough to be torn in its id, its MAC and its body. */
function signature(id: string): NewEntry {
  return { outgoingTransactionId: id, raw: 'ab'.repeat(200), signedAt: new Date(0) } as unknown as NewEntry
}

function halt(id: string): NewControlEntry {
  return { type: 'halt', id, cause: 'a test', at: new Date(0).toISOString() }
}

/** Opens the records and reads every entry. A partial entry would fail its MAC. */
async function openRecords(files: Files): Promise<Opened> {
  const signed: string[] = []
  const control: string[] = []
  const records = await SignerRecords.open({
    files,
    logPath,
    checkpointPath,
    key,
    onSigned: ({ outgoingTransactionId }) => void signed.push(outgoingTransactionId),
    onControl: (entry) => void control.push('id' in entry ? entry.id : entry.type),
  })
  return { records, signed, control }
}

/** Returns a host whose records were created, opened, and used an odd number of times since then. */
async function usedHost(): Promise<Host> {
  const memory = new MemoryFiles()
  await SignerRecords.create(logPath, checkpointPath, key, memory.mount())
  const host: Host = { memory, answered: none, unanswered: none }
  await append(host, { signed: ['first', 'second'], control: [] })
  await append(host, { signed: [], control: ['third'] })
  await append(host, { signed: ['fourth'], control: [] })
  memory.crash()
  return host
}

/** Starts the signer, which answers one call that adds entries. */
async function append(host: Host, ids: Ids): Promise<void> {
  const { records } = await openRecords(host.memory.mount())
  await answer(host, records, ids)
}

async function answer(host: Host, records: SignerRecords, { signed, control }: Ids): Promise<void> {
  host.unanswered = { signed, control }
  if (signed.length > 0) await records.append(signed.map(signature))
  if (control.length > 0) await records.appendControl(control.map(halt))
  host.answered = {
    signed: [...host.answered.signed, ...signed],
    control: [...host.answered.control, ...control],
  }
  host.unanswered = none
}

interface Prepared {
  readonly host: Host
  readonly files: ProcessFiles
  run(): Promise<void>
}

/** Prepares a host and the work that is interrupted in one of its operations on files, or after the last. */
type Work = () => Promise<Prepared>

function addingWork(ids: Ids): Work {
  return async () => {
    const host = await usedHost()
    const files = host.memory.mount()
    const { records } = await openRecords(files)
    return { host, files, run: () => answer(host, records, ids) }
  }
}

const additions: Readonly<Record<string, Work>> = {
  'signs one transaction': addingWork({ signed: ['new'], control: [] }),
  'signs several transactions at once': addingWork({ signed: ['new', 'newer', 'newest'], control: [] }),
  'records a halt': addingWork({ signed: [], control: ['halt'] }),
}

function startOf(host: Host): Prepared {
  const files = host.memory.mount()
  return { host, files, run: async () => void (await openRecords(files)) }
}

const starts: Readonly<Record<string, Work>> = {
  starts: async () => startOf(await usedHost()),
  'starts with an entry that no checkpoint has': async () => {
    const host = await usedHost()
    const { records } = await openRecords(host.memory.mount())
    await answer(host, records, { signed: ['new'], control: [] })
    const run = () => answer(host, records, { signed: ['newer'], control: [] })
    const writeAndSync = 2
    await interrupt({ host, run }, writeAndSync, () => host.memory.crash())
    return startOf(host)
  },
}

const creation: Work = async () => {
  const memory = new MemoryFiles()
  const files = memory.mount()
  const host: Host = { memory, answered: none, unanswered: none }
  return { host, files, run: () => SignerRecords.create(logPath, checkpointPath, key, files) }
}

/** Counts the operations on files of some work that is not interrupted. */
async function operationsOf(work: Work): Promise<number> {
  const { host, run } = await work()
  let operations = 0
  host.memory.beforeEach = async () => {
    operations += 1
  }
  await run()
  return operations
}

/** Calls `stop` before the operation of a number, from 0, or after the work if it has no more operations. */
async function interrupt({ host, run }: Omit<Prepared, 'files'>, at: number, stop: () => void) {
  let operation = 0
  host.memory.beforeEach = async () => {
    if (operation++ === at) stop()
  }
  await run().then(stop, (error: unknown) => {
    if (!(error instanceof ProcessEndedError)) throw error
  })
  host.memory.beforeEach = async () => {}
}

/** Interrupts some work at every operation by a crash, with each variant of what a crash may keep. */
async function crashEverywhere(work: Work, check: (host: Host, where: string) => Promise<void>) {
  const operations = await operationsOf(work)
  expect(operations).toBeGreaterThan(3)
  for (let at = 0; at <= operations; at += 1)
    for (const [kept, keptPart] of Object.entries(keptParts)) {
      const prepared = await work()
      await interrupt(prepared, at, () => prepared.host.memory.crash(keptPart))
      await check(prepared.host, `a crash at operation ${at} of ${operations} that keeps ${kept}`)
    }
}

/**
 * Starts the signer again. All answered entries must exist, in their order; an unanswered call may have left
 * its first entries. Then the signer continues, and its answers must survive another crash.
 */
async function requireWhole(host: Host, where: string): Promise<void> {
  const opened = await openRecords(host.memory.mount()).catch((error: Error) => {
    throw new Error(`${where}: ${error.message}`)
  })
  requireEntries(host, opened, where)
  const text = host.memory.snapshot().get(logPath)?.toString() ?? ''
  expect(text.split('\n').length - 1, where).toBe(opened.signed.length)
  expect(text === '' || text.endsWith('\n'), where).toBe(true)
  host.answered = opened
  await answer(host, opened.records, { signed: ['later'], control: ['later halt'] })
  host.memory.crash()
  requireEntries(host, await openRecords(host.memory.mount()), `${where}, and another one`)
}

function requireEntries({ answered, unanswered }: Host, opened: Opened, where: string): void {
  for (const log of ['signed', 'control'] as const) {
    const added = opened[log].slice(answered[log].length)
    expect(opened[log].slice(0, answered[log].length), where).toEqual(answered[log])
    expect(unanswered[log].slice(0, added.length), where).toEqual(added)
  }
}

describe('a crash of the host', () => {
  it.each(Object.entries(additions))(
    'while the signer %s loses nothing that was answered',
    async (_, work) => {
      await crashEverywhere(work, requireWhole)
    },
  )

  it.each(Object.entries(starts))('while the signer %s loses nothing', async (_, work) => {
    await crashEverywhere(work, requireWhole)
  })

  it('while the records are created leaves no partial record', async () => {
    await crashEverywhere(creation, async (host, where) => {
      await SignerRecords.create(logPath, checkpointPath, key, host.memory.mount())
      host.memory.crash()
      await requireWhole(host, where)
    })
  })
})

describe("a slow operation on the signer's files", () => {
  it.each(Object.entries(additions))('is awaited before the signer answers: it %s', async (_, work) => {
    const operations = await operationsOf(work)
    for (let at = 0; at < operations; at += 1) {
      const { host, run } = await work()
      let operation = 0
      host.memory.beforeEach = () => (operation++ === at ? new Promise(() => {}) : Promise.resolve())
      const answered = run().then(() => 'answered')
      const waiting = new Promise((resolve) => setImmediate(resolve, 'waiting'))
      expect(await Promise.race([answered, waiting]), `operation ${at} of ${operations}`).toBe('waiting')
    }
  })
})

describe('a kill of the signer alone', () => {
  const all = Object.entries({ ...additions, ...starts })

  it.each(all)('while it %s loses nothing that the next start finds', async (_, work) => {
    const operations = await operationsOf(work)
    for (let at = 0; at <= operations; at += 1) {
      const { host, files, run } = await work()
      const where = `a kill at operation ${at} of ${operations}`
      await interrupt({ host, run }, at, () => files.kill())
      const found = await openRecords(host.memory.mount())
      requireEntries(host, found, where)
      host.answered = found
      host.memory.crash()
      await requireWhole(host, where)
    }
  })
})

it('works on files in memory, and gives the same answer after a crash', async () => {
  const memory = new MemoryFiles()
  const opened = await useTestSigner({ files: memory.mount() })
  const request = askToPay(approvedPayment(opened.intentKey))
  const answers = await opened.signer.sign([request])
  expect(answers).toMatchObject([{ type: 'signed', sequence: 1 }])
  memory.crash()
  const again = await opened.reopen({ files: memory.mount() })
  expect(await again.signer.sign([request])).toEqual(answers)
  expect(await again.signer.readLog(0, 10)).toHaveLength(1)
  expect([...memory.snapshot().keys()]).toContain(opened.logPath)
})

describe('a log that was restored from a copy', () => {
  const all = Object.entries({ ...additions, ...starts })
  const withoutPositions = [logPath, `${logPath}.control`, checkpointPath]

  it.each(
    all.flatMap(([name, work]) => [
      ['checkpoint', name, work, logPaths] as const,
      ['position file', name, work, withoutPositions] as const,
    ]),
  )(
    'is refused because of its %s, whenever the host crashed while the signer %s',
    async (_by, _name, work, only) => {
      await crashEverywhere(work, async ({ memory, answered }, where) => {
        memory.restore(await recordsWithout(answered), { only })
        await expect(openRecords(memory.mount()), where).rejects.toThrow(SignLogError)
      })
    },
  )

  it('is refused unless its position file and the checkpoint were restored with it', async () => {
    const older = (await usedHost()).memory.snapshot()
    const paths = [...logPaths, checkpointPath]
    for (let subset = 0; subset < 2 ** paths.length; subset += 1) {
      const only = paths.filter((_path, bit) => (subset & (1 << bit)) !== 0)
      const host = await usedHost()
      await append(host, { signed: ['new'], control: ['halt'] })
      host.memory.crash()
      host.memory.restore(older, { only })
      const isDetected = [logPath, `${logPath}.control`].some(
        (log) => only.includes(log) && !(only.includes(`${log}.position`) && only.includes(checkpointPath)),
      )
      const opening = openRecords(host.memory.mount())
      if (isDetected) await expect(opening, only.join(' ')).rejects.toThrow(SignLogError)
      else await opening
    }
  })
})

/** Returns the files of a signer that has answered for all entries but the last of its log of signatures. */
async function recordsWithout({ signed, control }: Ids): Promise<FilesSnapshot> {
  const memory = new MemoryFiles()
  await SignerRecords.create(logPath, checkpointPath, key, memory.mount())
  const host: Host = { memory, answered: none, unanswered: none }
  for (const id of control) await append(host, { signed: [], control: [id] })
  for (const id of signed.slice(0, -1)) await append(host, { signed: [id], control: [] })
  return memory.snapshot()
}

describe('a loss that the operator accepts', () => {
  it('can be accepted again after a crash at any moment, and the generation increases', async () => {
    const older = (await usedHost()).memory.snapshot()
    const work: Work = async () => {
      const host = await usedHost()
      await append(host, { signed: ['new'], control: ['halt'] })
      host.memory.crash()
      host.memory.restore(older, { only: logPaths })
      host.answered = { signed: ['first', 'second', 'fourth'], control: ['third'] }
      const files = host.memory.mount()
      const run = async () => void (await SignerRecords.acceptLoss({ ...loss, files }, 'a test', new Date(0)))
      return { host, files, run }
    }
    await crashEverywhere(work, async (host, where) => {
      const files = host.memory.mount()
      const opened = await openRecords(files).catch(async (error: unknown) => {
        expect(error, where).toBeInstanceOf(SignLogError)
        await SignerRecords.acceptLoss({ ...loss, files }, 'a test', new Date(0))
        return openRecords(files)
      })
      expect(opened.signed, where).toEqual(host.answered.signed)
      expect(opened.control.slice(0, 2), where).toEqual(['third', 'loss'])
      expect(opened.records.logGeneration, where).toBe(opened.control.length)
    })
  })
})

describe('repeated kills and crashes', () => {
  it('lose nothing that was answered', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const dice = diceOf(seed)
      const host = await usedHost()
      for (let round = 1; round <= 12; round += 1) await playRound(host, dice, `seed ${seed}, round ${round}`)
    }
  })
})

/** Starts the signer, lets it answer a few calls, and kills it or crashes the host at some moment. */
async function playRound(host: Host, dice: Dice, where: string): Promise<void> {
  const { memory } = host
  const files = memory.mount()
  const keptPart: KeptPart = ({ size }) => dice.between(0, size)
  const stop = dice.chance(0.5) ? () => files.kill() : () => memory.crash(keptPart)
  const run = async () => {
    const opened = await openRecords(files)
    requireEntries(host, opened, where)
    host.answered = opened
    host.unanswered = none
    for (let call = 1; call <= 3; call += 1) {
      const ids = Array.from({ length: dice.between(1, 3) }, (_, index) => `${where}, ${call}.${index}`)
      const isControl = dice.chance(0.3)
      await answer(host, opened.records, {
        signed: isControl ? [] : ids,
        control: isControl ? ids : [],
      })
    }
  }
  await interrupt({ host, run }, dice.between(0, 60), stop)
}
