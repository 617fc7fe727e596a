/**
 * Tests what the signer stores besides signatures: its checkpoint, countersigned heads, halts and their
 * lifts.
 */
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { diskFiles } from '../../src/core/durable-file.ts'
import { KeyTree, newMnemonic } from '../../src/signer/keys/key-tree.ts'
import { CheckpointFile } from '../../src/signer/log/checkpoint.ts'
import { SignerRecords } from '../../src/signer/log/records.ts'
import type { CountersignRequest } from '../../src/signing/signer-port.ts'
import { isSigned, sealHeadStatement } from '../../src/signing/statement.ts'
import { signedLift } from '../support/lifts.ts'
import { approvedPayment, askToPay, askToSign, type TestSigner, useTestSigner } from '../support/signer.ts'

const database = randomUUID()
const hashOf = (digit: string) => digit.repeat(64)

function head(sequence: number, digit: string, over: Partial<CountersignRequest> = {}): CountersignRequest {
  return { databaseId: database, sequence, hash: hashOf(digit), previous: null, ...over }
}

async function pay(opened: TestSigner, nonce: number) {
  const [answer] = await opened.signer.sign([askToPay(approvedPayment(opened.intentKey), { nonce })])
  return answer
}

/** Asks to send one unit of the coin from hot wallet 0 to hot wallet 1, with the first nonce. */
function askToFill({ keys }: TestSigner) {
  return askToSign(
    { kind: 'rebalance', hotWallet: 1, asset: 'ethereum/ETH', contract: null, amountMinor: 1n },
    { type: 'pay', asset: { type: 'coin' }, recipient: keys.hotWallets[1] ?? '', amountMinor: 1n },
  )
}

/** Copies the logs, and returns a function that restores them, like a restored snapshot. */
async function snapshot({ logPath }: TestSigner, names: readonly string[]) {
  const files = names.flatMap((name) => [`${logPath}${name}`, `${logPath}${name}.position`])
  const kept = await Promise.all(files.map((file) => readFile(file)))
  return async () => {
    for (const [index, file] of files.entries()) await writeFile(file, kept[index] ?? '')
  }
}

function acceptLoss({ logPath, checkpointPath, keys }: TestSigner) {
  return SignerRecords.acceptLoss({ logPath, checkpointPath, key: keys.logKey }, 'a test', new Date())
}

describe('the checkpoint', () => {
  it.each([
    ['signatures', ['']],
    ['statements', ['.control']],
    ['both', ['', '.control']],
  ])('refuses older logs: of %s', async (_, names) => {
    const opened = await useTestSigner()
    await pay(opened, 0)
    await opened.signer.control.countersign(head(1, 'a'))
    const restore = await snapshot(opened, names)
    await pay(opened, 1)
    await opened.signer.control.countersign(head(2, 'b', { previous: head(1, 'a') }))
    await opened.signer.close()
    await restore()
    await expect(opened.reopen()).rejects.toThrow(/restored from a copy.*accept-loss/s)
  })

  it('refuses a log of the same length with different content', async () => {
    const opened = await useTestSigner()
    const restore = await snapshot(opened, [''])
    await pay(opened, 0)
    await opened.signer.close()
    await restore()
    // Another history of the same length, written by a signer that ran without its checkpoint.
    await rename(opened.checkpointPath, `${opened.checkpointPath}.kept`)
    await CheckpointFile.create({
      files: diskFiles,
      path: opened.checkpointPath,
      key: opened.keys.logKey,
    })
    const other = await opened.reopen()
    await pay(other, 0)
    await other.signer.close()
    await rename(`${opened.checkpointPath}.kept`, opened.checkpointPath)
    await expect(opened.reopen()).rejects.toThrow('lacks entry 1')
  })

  it('is not created again if it is missing', async () => {
    const opened = await useTestSigner()
    await opened.signer.close()
    await rm(opened.checkpointPath)
    await expect(opened.reopen()).rejects.toThrow('check that its medium is mounted')
  })

  it('stops the signer from answering if it cannot be written, until the signer is restarted', async () => {
    const opened = await useTestSigner()
    await pay(opened, 0)
    const write = vi
      .spyOn(CheckpointFile.prototype, 'write')
      .mockRejectedValueOnce(new Error('read-only medium'))
    try {
      await expect(pay(opened, 1)).rejects.toThrow('read-only medium')
    } finally {
      write.mockRestore()
    }
    await expect(pay(opened, 2)).rejects.toThrow('read-only medium')
    await expect(opened.signer.control.countersign(head(1, 'a'))).rejects.toThrow('read-only medium')
  })

  it('continues after the host stopped between the writes of log and checkpoint', async () => {
    const opened = await useTestSigner()
    await pay(opened, 0)
    const before = await readFile(opened.checkpointPath)
    await pay(opened, 1)
    await opened.signer.close()
    await writeFile(opened.checkpointPath, before)
    const again = await opened.reopen()
    expect(await again.signer.attest()).toMatchObject({ logEntries: 2, logGeneration: 1 })
    expect(await readFile(opened.checkpointPath)).not.toEqual(before)
    expect(await pay(again, 2)).toMatchObject({ type: 'signed', sequence: 3 })
  })

  it('lets the log continue in another incarnation if its operator accepts the loss, which is recorded', async () => {
    const opened = await useTestSigner()
    await pay(opened, 0)
    const restore = await snapshot(opened, [''])
    await pay(opened, 1)
    await pay(opened, 2)
    await opened.signer.close()
    await expect(acceptLoss(opened)).rejects.toThrow('Nothing is lost')
    await restore()
    expect(await acceptLoss(opened)).toMatchObject({
      logGeneration: 2,
      log: { from: 2, to: 3 },
      control: null,
    })
    const again = await opened.reopen()
    expect(await again.signer.attest()).toMatchObject({ logEntries: 1, logGeneration: 2 })
    const once = await again.reopen()
    expect((await once.signer.attest()).logGeneration).toBe(2)
    expect(await readFile(`${opened.logPath}.control`, 'utf8')).toContain('"log":{"from":2,"to":3}')
  })

  it('counts incarnations above all earlier ones even if the statements and the checkpoint are lost', async () => {
    const opened = await useTestSigner()
    const restore = await snapshot(opened, ['', '.control'])
    await pay(opened, 0)
    await opened.signer.close()
    const kept = await snapshot(opened, [''])
    await restore()
    expect((await acceptLoss(opened)).logGeneration).toBe(2)
    await restore()
    expect((await acceptLoss(opened)).logGeneration).toBe(3)
    await restore()
    await kept()
    await rm(opened.checkpointPath)
    const { logGeneration, control } = await acceptLoss(opened)
    expect(logGeneration).toBeGreaterThan(1_700_000_000)
    expect(control).toEqual({ from: 1, to: null })
    expect((await (await opened.reopen()).signer.attest()).logGeneration).toBe(logGeneration)
  })
})

describe('heads of history', () => {
  it('are countersigned by a key that the attestation shows, with the same signature each time', async () => {
    const { signer } = await useTestSigner()
    const { statementKey = '' } = await signer.attest()
    const answer = await signer.control.countersign(head(7, 'a'))
    expect(answer).toEqual({ type: 'countersigned', signature: expect.any(String) })
    const signature = answer.type === 'countersigned' ? answer.signature : ''
    expect(isSigned(statementKey, sealHeadStatement(head(7, 'a')), signature)).toBe(true)
    expect(isSigned(statementKey, sealHeadStatement(head(7, 'b')), signature)).toBe(false)
    expect(await signer.control.countersign(head(7, 'a'))).toEqual(answer)
    expect((await signer.attest()).sealHead).toEqual({ databaseId: database, sequence: 7, hash: hashOf('a') })
  })

  it('have one hash per sequence, never go back, and continue the previous one, also after a restart', async () => {
    let opened = await useTestSigner()
    await opened.signer.control.countersign(head(7, 'a'))
    for (const _ of [1, 2]) {
      const { control } = opened.signer
      const answers = [
        await control.countersign(head(7, 'b')),
        await control.countersign(head(6, 'c')),
        await control.countersign(head(8, 'd')),
        await control.countersign(head(8, 'd', { previous: { sequence: 7, hash: hashOf('e') } })),
        await control.countersign(head(8, 'd', { previous: { sequence: 6, hash: hashOf('a') } })),
      ]
      expect(answers.map(({ type }) => type)).toEqual(answers.map(() => 'refused'))
      opened = await opened.reopen()
    }
    expect(await opened.signer.control.countersign(head(8, 'd', { previous: head(7, 'a') }))).toMatchObject({
      type: 'countersigned',
    })
  })

  it('of another incarnation are refused until it was opened on the host, which records the loss', async () => {
    const opened = await useTestSigner()
    const { control } = opened.signer
    await control.countersign(head(9, 'a'))
    const next = randomUUID()
    const restored = head(4, 'b', { databaseId: next })
    expect(await control.countersign(restored)).toMatchObject({ type: 'refused' })
    const other = new KeyTree(newMnemonic(12), 1)
    const words = { haltId: randomUUID(), databaseId: next }
    expect(await control.lift(signedLift(other, words))).toBe(false)
    expect(await control.countersign(restored)).toMatchObject({ type: 'refused' })
    expect(await control.lift(signedLift(opened.keys, words))).toBe(true)
    expect(await control.countersign(restored)).toMatchObject({ type: 'countersigned' })
    // The previous incarnation has ended. A database that goes back to it has another history.
    expect(await control.countersign(head(10, 'c', { previous: head(9, 'a') }))).toMatchObject({
      type: 'refused',
    })
    const written = await readFile(`${opened.logPath}.control`, 'utf8')
    expect(written).toContain('"lost":{"from":5,"to":9}')
    expect(written).toContain('"reason":"a test"')
  })

  it('never get two hashes for one sequence of an incarnation, whatever is requested in whatever order', async () => {
    const opened = await useTestSigner({ opensDatabaseIdentities: true })
    const databases = [randomUUID(), randomUUID()]
    const asked = fc.record({
      database: fc.integer({ min: 0, max: 1 }),
      sequence: fc.integer({ min: 1, max: 6 }),
      digit: fc.constantFrom('a', 'b'),
      isHonest: fc.boolean(),
    })
    const given = new Map<string, string>()
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 12 }), async (requests) => {
        for (const { database: index, sequence, digit, isHonest } of requests) {
          const databaseId = databases[index] ?? ''
          const { sealHead = null } = await opened.signer.attest()
          const previous = isHonest ? sealHead : null
          const request = { databaseId, sequence, hash: hashOf(digit), previous }
          const { type } = await opened.signer.control.countersign(request)
          if (type === 'refused') continue
          const key = `${databaseId} ${sequence}`
          expect(given.get(key) ?? request.hash).toBe(request.hash)
          given.set(key, request.hash)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('a halt', () => {
  it('stops the signer from signing anything except nonce-gap transactions until it is lifted, whatever payouts believe', async () => {
    let opened = await useTestSigner()
    const id = randomUUID()
    await opened.signer.control.halt({ id, cause: 'tampering' })
    const refused = { type: 'refused', code: 'halted', detail: expect.stringContaining(id) }
    expect(await pay(opened, 0)).toEqual(refused)
    opened = await opened.reopen()
    expect(await pay(opened, 0)).toEqual(refused)
    expect((await opened.signer.attest()).halts).toEqual([{ id, cause: 'tampering' }])
    const [filled] = await opened.signer.sign([askToFill(opened)])
    expect(filled).toMatchObject({ type: 'signed' })
    expect(await opened.signer.control.lift(signedLift(opened.keys, { haltId: id }))).toBe(true)
    expect(await pay(opened, 1)).toMatchObject({ type: 'signed' })
    expect((await (await opened.reopen()).signer.attest()).halts).toEqual([])
  })

  it('is not lifted by a statement of another key, for another halt, or with an altered content', async () => {
    const opened = await useTestSigner()
    const { control } = opened.signer
    const id = randomUUID()
    await control.halt({ id, cause: 'books' })
    const other = new KeyTree(newMnemonic(12), 1)
    const right = signedLift(opened.keys, { haltId: randomUUID() })
    expect(await control.lift(signedLift(other, { haltId: id }))).toBe(false)
    expect(await control.lift(right)).toBe(true)
    expect(await control.lift(right.slice(0, -1))).toBe(false)
    expect(await control.lift('')).toBe(false)
    expect(await pay(opened, 0)).toMatchObject({ code: 'halted' })
  })

  it('of the same cause is a new halt: a lift that was used once lifts nothing more', async () => {
    const opened = await useTestSigner()
    const { control } = opened.signer
    const first = randomUUID()
    const second = randomUUID()
    await control.halt({ id: first, cause: 'books' })
    const line = signedLift(opened.keys, { haltId: first })
    expect(await control.lift(line)).toBe(true)
    await control.halt({ id: second, cause: 'books' })
    expect(await control.lift(line)).toBe(true)
    expect((await opened.signer.attest()).halts).toEqual([{ id: second, cause: 'books' }])
  })
})
