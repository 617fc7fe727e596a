/** Tests `coffer signer` and `coffer keys` as an operator runs them. */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SignerClient } from '../../src/outgoing/engine/signer-client/signer-client.ts'
import { KeyTree } from '../../src/signer/keys/key-tree.ts'
import { readIntentKey } from '../../src/signer/keys/private-file.ts'
import { orderPublicKey } from '../../src/signing/order-signature.ts'
import type { LogEntry, SignAnswer, SignRequest } from '../../src/signing/signer-port.ts'
import { runCoffer, stub, useDataDirs } from '../support/coffer-process.ts'
import { diceOf } from '../support/dice.ts'
import { orderSeed } from '../support/order-keys.ts'
import { isReadableByOthers } from '../support/readable-by-others.ts'
import { approvedPayment, askToPay } from '../support/signer.ts'

const dataDirs = useDataDirs()
const patience = { timeout: 30_000, interval: 20 }

interface KeyFiles {
  readonly folder: string
  readonly words: readonly string[]
  readonly socket: string
  readonly intentKey: string
  readonly orderKeys: string
}

/**
 * Creates a folder with keys by `coffer keys init`. Returns the files with which its signer is started, and
 * the output of the command.
 */
async function freshKeys(): Promise<KeyFiles & { readonly said: string }> {
  const folder = join(await dataDirs.fresh(), 'keys')
  await mkdir(folder, { mode: 0o700 })
  const at = (name: string) => join(folder, name)
  const files = [
    '--keystore',
    at('k.json'),
    '--passphrase-file',
    at('pass'),
    '--intent-key',
    at('intent'),
    '--log',
    at('log'),
  ]
  const { code, stdout, stderr } = await runCoffer(['keys', 'init', ...files, '--print-words'], {})
  expect([code, stderr]).toEqual([0, expect.stringContaining('Write these words down')])
  const socket = at('s.sock')
  const orderKeys = at('order-keys.pub')
  await writeFile(orderKeys, `${orderPublicKey(orderSeed).toString('hex')}\n`)
  return {
    folder,
    socket,
    intentKey: at('intent'),
    orderKeys,
    words: [...files, '--order-keys', orderKeys, '--socket', socket, '--sandbox'],
    said: stdout,
  }
}

interface SpawnOptions {
  readonly uid?: number
  readonly gid?: number
  /** Whether it runs as a part of "coffer start", which holds the other end of its standard input. */
  readonly isChild?: boolean
  /** The command that runs the program, instead of Node itself. */
  readonly command?: readonly [string, ...string[]]
}

function spawnSigner(
  { words, socket }: KeyFiles,
  { isChild = false, command = [process.execPath], ...user }: SpawnOptions = {},
) {
  const [program, ...before] = command
  const child = spawn(program, [...before, stub, 'signer', ...words, ...(isChild ? ['--child'] : [])], {
    env: {},
    stdio: [isChild ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...user,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      said += text
    })
  const client = new SignerClient(socket)
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await client.close()
    await ended
  })
  const ready = async () => {
    await vi.waitUntil(() => {
      if (child.exitCode !== null) throw new Error(said)
      return said.includes('signer ready')
    }, patience)
  }
  /**
   * Waits until the signer has printed this reason and exited with 1, although its standard input is still
   * open.
   */
  const gaveUp = async (why: string) => {
    await vi.waitUntil(() => said.includes(why), patience)
    await vi.waitUntil(() => child.exitCode !== null, { ...patience, timeout: 2_000 })
    expect(child.exitCode).toBe(1)
  }
  const wrote = (text: string) => vi.waitUntil(() => said.includes(text), patience)
  return { child, client, ended, ready, gaveUp, wrote }
}

/**
 * The pairs of neighbours in the phrase that are also neighbours in the text. One word alone proves nothing:
 * "salt" is a field of the file and one of the 2,048 words of BIP 39.
 */
function adjacentWords(text: string, phrase: readonly (string | undefined)[]): readonly string[] {
  const pairs = phrase.slice(1).map((word, index) => `${phrase[index]} ${word}`)
  const joined = ` ${text.split(/[^a-z]+/).join(' ')} `
  return pairs.filter((pair) => joined.includes(` ${pair} `))
}

function typesOf(answers: readonly SignAnswer[]): readonly string[] {
  return answers.map(({ type }) => type)
}

describe('coffer keys', () => {
  it('shows 24 words once, from which the same keys can be derived, and stores them nowhere unencrypted', async () => {
    const keyFiles = await freshKeys()
    const words = [...keyFiles.said.matchAll(/\d+ ([a-z]+)/g)].map(([, word]) => word)
    expect(words).toHaveLength(24)
    const xpub = /XPUB_EVM=(\S+)/.exec(keyFiles.said)?.[1]
    expect(new KeyTree(words.join(' '), 1).depositXpub).toBe(xpub)
    for (const name of [
      'k.json',
      'pass',
      'intent',
      'log',
      'log.position',
      'log.control',
      'log.control.position',
    ]) {
      expect((await stat(join(keyFiles.folder, name))).mode & 0o777).toBe(0o600)
      expect(adjacentWords(await readFile(join(keyFiles.folder, name), 'utf8'), words)).toEqual([])
    }
    const named = keyFiles.words.slice(0, 4)
    const exported = await runCoffer(['keys', 'export-xpub', ...named], {})
    expect(exported).toMatchObject({ code: 0, stdout: `${xpub}\n` })
    const again = await runCoffer(['keys', 'init', ...keyFiles.words.slice(0, 8), '--print-words'], {})
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('keys are never overwritten') })
  })

  it('does not show words without a terminal, and states what is missing', async () => {
    const { words } = await freshKeys()
    const files = words.slice(0, 8).map((word) => (word.startsWith('--') ? word : `${word}2`))
    const hidden = await runCoffer(['keys', 'init', ...files], {})
    expect(hidden).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--print-words') })
    const unnamed = await runCoffer(['keys', 'init'], {})
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--keystore is missing') })
    expect(await runCoffer(['keys', 'shred'], {})).toMatchObject({ code: 2 })
    expect((await runCoffer(['keys', '--help'], {})).stdout).toContain('export-xpub')
  })
})

describe('coffer signer', () => {
  it('refuses files that others can read, a wrong passphrase, and a start without limits', async () => {
    const keyFiles = await freshKeys()
    const run = (words: readonly string[]) => runCoffer(['signer', ...words], {})
    await chmod(join(keyFiles.folder, 'k.json'), 0o644)
    expect((await run(keyFiles.words)).stderr).toContain(`chmod 600 ${join(keyFiles.folder, 'k.json')}`)
    await chmod(join(keyFiles.folder, 'k.json'), 0o600)
    expect((await run(keyFiles.words.filter((word) => word !== '--sandbox'))).stderr).toContain(
      '--policy is missing',
    )
    expect((await run([...keyFiles.words, '--hot-wallets', '17'])).stderr).toContain('--hot-wallets must be')
    expect((await run([...keyFiles.words, '--cold-address', 'ethereum=0x1'])).stderr).toContain(
      '--cold-address must be',
    )
    await writeFile(join(keyFiles.folder, 'pass'), 'another passphrase')
    expect((await run(keyFiles.words)).stderr).toContain('The passphrase is wrong')
  })

  it('A5 reads its policy again at SIGHUP, and keeps the old one if the new one is invalid', async () => {
    const keyFiles = await freshKeys()
    const path = join(keyFiles.folder, 'policy.json')
    const fees = { feesPer24HoursMinor: '1', topUpsPer24HoursMinor: '1' }
    const coin = { symbol: 'ETH', decimals: 18 }
    const write = (feePerTransactionMinor: string) => {
      const ethereum = { chainId: 31337, coin, feePerTransactionMinor, ...fees }
      return writeFile(path, JSON.stringify({ networks: { ethereum }, assets: [] }), { mode: 0o600 })
    }
    await write('5')
    const running = spawnSigner({ ...keyFiles, words: [...keyFiles.words, '--policy', path] })
    await running.ready()
    const allowed = async () => (await running.client.attest()).limits?.networks[0]?.feePerTransactionMinor
    expect(await allowed()).toBe(5n)
    await write('six')
    running.child.kill('SIGHUP')
    await running.wrote('the policy was not reloaded')
    await running.wrote('feePerTransactionMinor must be a whole number')
    expect(await allowed()).toBe(5n)
    await write('7')
    running.child.kill('SIGHUP')
    await running.wrote('the policy was reloaded')
    expect(await allowed()).toBe(7n)
    running.child.kill('SIGTERM')
    expect(await running.ended).toEqual([0, null])
  })

  it('requires a checkpoint with real money, and continues without its log once the loss is accepted', async () => {
    const keyFiles = await freshKeys()
    const at = (name: string) => join(keyFiles.folder, name)
    const checkpoint = ['--checkpoint', at('checkpoint')]
    const policy = JSON.stringify({ assets: [], networks: {} })
    await writeFile(at('policy.json'), policy, { mode: 0o644 })
    const real = [...keyFiles.words.filter((word) => word !== '--sandbox'), '--policy', at('policy.json')]
    const run = (words: readonly string[]) => runCoffer(['signer', ...words], {})
    expect((await run(real)).stderr).toContain('--checkpoint is missing')
    expect((await run([...real, ...checkpoint])).stderr).toContain('check that its medium is mounted')
    const named = [...keyFiles.words.slice(0, 4), '--reason', 'a test']
    const accept = ['accept-loss', ...named, '--log', at('log'), ...checkpoint]
    expect(await run(accept)).toMatchObject({ code: 0, stdout: expect.stringContaining('starts generation') })
    expect(await run(accept)).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing is lost') })
    const signer = spawnSigner({ ...keyFiles, words: [...real, ...checkpoint] })
    await signer.ready()
    expect((await signer.client.attest()).logGeneration).toBeGreaterThan(1)
  })

  it('accepts the line that lifts a halt, which is made on the same host', async () => {
    const keyFiles = await freshKeys()
    const signer = spawnSigner(keyFiles)
    await signer.ready()
    const id = randomUUID()
    await signer.client.control.halt({ id, cause: 'books' })
    const named = [...keyFiles.words.slice(0, 4), '--reason', 'a test']
    const printed = await runCoffer(['signer', 'lift', '--halt', id, ...named], {})
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(await signer.client.control.lift(printed.stdout.trim())).toBe(true)
    expect((await signer.client.attest()).halts).toEqual([])
    const head = { databaseId: randomUUID(), sequence: 1, hash: 'ab'.repeat(32), previous: null }
    expect(await signer.client.control.countersign(head)).toMatchObject({ type: 'countersigned' })
    expect(await runCoffer(['signer', 'lift', '--halt', 'books', ...named], {})).toMatchObject({ code: 2 })
  })

  it('runs only once on its log, and ends at SIGTERM', async () => {
    const keyFiles = await freshKeys()
    const first = spawnSigner(keyFiles)
    await first.ready()
    const second = await runCoffer(['signer', ...keyFiles.words], {})
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another signer is using the log'),
    })
    expect((await first.client.attest()).logEntries).toBe(0)
    first.child.kill('SIGTERM')
    expect(await first.ended).toEqual([0, null])
  })

  it.each([false, true])(
    'ends if its start is refused, and starts once the fault is repaired (as a child: %s)',
    { timeout: 120_000 },
    async (isChild) => {
      const keyFiles = await freshKeys()
      const lived = spawnSigner(keyFiles, { isChild })
      await lived.ready()
      await lived.client.sign([askToPay(approvedPayment(await readIntentKey(keyFiles.intentKey)))])
      lived.child.kill('SIGTERM')
      expect(await lived.ended).toEqual([0, null])
      for (const { why, spoil, mend } of refusedStarts(keyFiles)) {
        await spoil()
        await spawnSigner(keyFiles, { isChild }).gaveUp(why)
        await mend()
      }
      await spawnSigner(keyFiles, { isChild }).ready()
    },
  )

  it.each([false, true])('ends if it cannot write its log (as a child: %s)', async (isChild) => {
    const keyFiles = await freshKeys()
    // Files are limited to one block of 512 bytes. The two slots of the position file fit, but no entry of
    // the log does.
    const command = ['/bin/sh', '-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath] as const
    const full = spawnSigner(keyFiles, { isChild, command })
    await full.ready()
    const request = askToPay(approvedPayment(await readIntentKey(keyFiles.intentKey)))
    await expect(full.client.sign([request])).rejects.toThrow()
    await full.gaveUp('is the disk full?')
    const next = spawnSigner(keyFiles, { isChild })
    await next.ready()
    expect(typesOf(await next.client.sign([request]))).toEqual(['signed'])
  })

  it('E01 knows its answers after a kill at any moment, and gives the same answers again', async () => {
    const keyFiles = await freshKeys()
    const intentKey = await readIntentKey(keyFiles.intentKey)
    const seed = Date.now() % 100_000
    console.log(`kills of seed ${seed}`)
    const dice = diceOf(seed)
    const answered = new Map<string, SignAnswer>()
    const asked: SignRequest[] = []
    for (let run = 0; run < 4; run++) {
      const { child, client, ready, ended } = spawnSigner(keyFiles)
      await ready()
      for (const request of asked) {
        const [answer] = await client.sign([request])
        const before = answered.get(request.outgoingTransactionId)
        if (before !== undefined) expect(answer).toEqual(before)
      }
      const waiting = Array.from({ length: 30 }, () => {
        const request = askToPay(approvedPayment(intentKey), { nonce: asked.length })
        asked.push(request)
        return client.sign([request]).then(
          ([answer]) => answer !== undefined && answered.set(request.outgoingTransactionId, answer),
          () => undefined,
        )
      })
      setTimeout(() => child.kill('SIGKILL'), dice.between(0, 60))
      await Promise.all([...waiting, ended])
      await client.close()
    }
    const { client, ready } = spawnSigner(keyFiles)
    await ready()
    expect(typesOf(await client.sign(asked))).toEqual(asked.map(() => 'signed'))
    const entries = await wholeLog(client)
    expect(entries.map(({ sequence }) => sequence)).toEqual(asked.map((_, at) => at + 1))
    expect(
      new Set(entries.map((entry) => ('nonce' in entry ? entry.nonce : entry.pinnedOutpoint))).size,
    ).toBe(asked.length)
    for (const { outgoingTransactionId, raw } of entries) {
      const answer = answered.get(outgoingTransactionId)
      if (answer !== undefined) expect(answer).toMatchObject({ type: 'signed', raw })
    }
  })

  it.skipIf(process.getuid?.() !== 0 || !isReadableByOthers())(
    'works under a user of its own (tested as root), whose files and socket no other user can open',
    async () => {
      const keyFiles = await freshKeys()
      const uid = 65_534
      const gid = 65_534
      const stranger = 65_533
      for (const name of [
        '',
        'k.json',
        'pass',
        'intent',
        'log',
        'log.position',
        'log.control',
        'log.control.position',
      ]) {
        await chown(join(keyFiles.folder, name), uid, gid)
      }
      const signer = spawnSigner(keyFiles, { uid, gid })
      await signer.ready()
      expect((await signer.client.attest()).hotWallets).toHaveLength(4)
      const tries = `
        const { readFileSync } = require('node:fs')
        try { readFileSync(${JSON.stringify(join(keyFiles.folder, 'k.json'))}); console.log('read') } catch (e) { console.log(e.code) }
        require('node:net').connect(${JSON.stringify(keyFiles.socket)})
          .on('connect', () => { console.log('connected'); process.exit() }).on('error', (e) => console.log(e.code))`
      const other = spawn(process.execPath, ['-e', tries], {
        uid: stranger,
        gid: stranger,
        env: {},
        cwd: '/',
      })
      let said = ''
      other.stdout.on('data', (text) => {
        said += text
      })
      await once(other, 'close')
      expect(said.trim().split('\n')).toEqual(['EACCES', 'EACCES'])
    },
  )
})

/**
 * The starts that are refused after the log is locked: how each fault is made, what is reported, and how it
 * is repaired.
 */
function refusedStarts({ folder, intentKey, orderKeys }: KeyFiles) {
  const log = join(folder, 'log')
  const position = join(folder, 'log.position')
  const away = (path: string) => ({
    spoil: () => rename(path, `${path}.away`),
    mend: () => rename(`${path}.away`, path),
  })
  let whole = ''
  return [
    { why: `The intent key ${intentKey} cannot be read`, ...away(intentKey) },
    { why: `The public keys of orders ${orderKeys} cannot be read`, ...away(orderKeys) },
    { why: `${position} is missing`, ...away(position) },
    {
      why: 'cannot be trusted: it ends before entry 1',
      spoil: async () => {
        whole = await readFile(log, 'utf8')
        await truncate(log, 0)
      },
      mend: () => writeFile(log, whole),
    },
    {
      why: `${folder}, is accessible to everybody`,
      spoil: () => chmod(folder, 0o701),
      mend: () => chmod(folder, 0o700),
    },
  ]
}

async function wholeLog(client: SignerClient): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  for (;;) {
    const more = await client.readLog(entries.length, 100)
    if (more.length === 0) return entries
    entries.push(...more)
  }
}
