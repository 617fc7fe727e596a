/** Tests the signer's own log: damage by a crash is repaired, and any other change is refused. */
import {
  appendFile,
  copyFile,
  type FileHandle,
  open,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { SignerSetupError } from '../../src/signer/keys/private-file.ts'
import type { SignRequest } from '../../src/signing/signer-port.ts'
import {
  approvedPayment,
  askToPay,
  openTestSigner,
  type TestSigner,
  useTestSigner,
} from '../support/signer.ts'

async function signed(opened: TestSigner, count: number): Promise<readonly SignRequest[]> {
  const from = (await opened.signer.attest()).logEntries
  const requests = Array.from({ length: count }, (_, index) =>
    askToPay(approvedPayment(opened.intentKey), { nonce: from + index }),
  )
  const answers = await opened.signer.sign(requests)
  expect(answers.every(({ type }) => type === 'signed')).toBe(true)
  return requests
}

async function entriesOf({ signer }: TestSigner): Promise<number> {
  return (await signer.attest()).logEntries
}

describe('after a crash', () => {
  it('removes a partial entry, and continues after the last whole one', async () => {
    const opened = await useTestSigner()
    const [first] = await signed(opened, 3)
    await opened.signer.close()
    const whole = await readFile(opened.logPath, 'utf8')
    const next = whole.split('\n')[2] ?? ''
    for (const cut of [1, 50, 90, next.length - 1, next.length]) {
      await writeFile(opened.logPath, whole + next.slice(0, cut))
      const again = await openAgain(opened)
      expect(await entriesOf(again)).toBe(3)
      expect(await readFile(opened.logPath, 'utf8')).toBe(whole)
      expect((await again.signer.sign(first ? [first] : []))[0]).toMatchObject({
        type: 'signed',
        sequence: 1,
      })
      await again.signer.close()
    }
  })

  it('removes a broken end that contains line ends, and signs again', async () => {
    const opened = await useTestSigner()
    await signed(opened, 2)
    await opened.signer.close()
    let whole = await readFile(opened.logPath, 'utf8')
    for (const tail of ['\n', `${'\0'.repeat(100)}\n`, '{}\n{}\n'.repeat(20_000)]) {
      await writeFile(opened.logPath, whole + tail)
      const again = await openAgain(opened)
      expect(await readFile(opened.logPath, 'utf8')).toBe(whole)
      await signed(again, 1)
      await again.signer.close()
      whole = await readFile(opened.logPath, 'utf8')
    }
  })

  it('keeps a complete entry although its request was not answered', async () => {
    const opened = await useTestSigner()
    await signed(opened, 2)
    await copyFile(`${opened.logPath}.position`, `${opened.logPath}.kept`)
    await signed(opened, 2)
    await opened.signer.close()
    await copyFile(`${opened.logPath}.kept`, `${opened.logPath}.position`)
    const again = await openAgain(opened)
    expect(await entriesOf(again)).toBe(4)
    await again.signer.close()
  })

  it('finds its position although one slot of the position file is incomplete', async () => {
    const opened = await useTestSigner()
    await signed(opened, 1)
    await signed(opened, 1)
    await opened.signer.close()
    const anchor = await readFile(`${opened.logPath}.position`)
    for (const slot of [0, 256]) {
      const torn = Buffer.from(anchor)
      torn.fill(0, slot + 100, slot + 256)
      await writeFile(`${opened.logPath}.position`, torn)
      const again = await openAgain(opened)
      expect(await entriesOf(again)).toBe(2)
      await again.signer.close()
    }
  })
})

describe('on a full disk, which stores a part of a write without an error', () => {
  it('answers for no incomplete entry, and continues after a restart', async () => {
    const opened = await useTestSigner()
    await signed(opened, 2)
    const next = [0, 1].map((index) => askToPay(approvedPayment(opened.intentKey), { nonce: 2 + index }))
    await writingHalf(opened.logPath, 0, async () => {
      await expect(opened.signer.sign(next)).rejects.toThrow('is the disk full?')
    })
    await expect(opened.signer.sign(next)).rejects.toThrow()
    const again = await opened.reopen()
    expect(await entriesOf(again)).toBeLessThan(4)
    expect(await readFile(opened.logPath, 'utf8')).toMatch(/\n$/)
    const answers = await again.signer.sign(next)
    expect(answers).toMatchObject([3, 4].map((sequence) => ({ type: 'signed', sequence })))
    expect(await entriesOf(await again.reopen())).toBe(4)
  })

  it('answers for no entry without a complete position, and knows the entry after a restart', async () => {
    const opened = await useTestSigner()
    await signed(opened, 2)
    const next = askToPay(approvedPayment(opened.intentKey), { nonce: 2 })
    await writingHalf(opened.logPath, 1, async () => {
      await expect(opened.signer.sign([next])).rejects.toThrow('is the disk full?')
    })
    const again = await opened.reopen()
    expect(await entriesOf(again)).toBe(3)
    expect((await again.signer.sign([next]))[0]).toMatchObject({ type: 'signed', sequence: 3 })
  })
})

type Write = (this: FileHandle, bytes: Buffer, from: number, length: number, offset: number) => unknown

/** Makes one write to the file during `work` incomplete, after this many complete writes. */
async function writingHalf(path: string, wholeWrites: number, work: () => Promise<void>): Promise<void> {
  const file = await open(path, 'r')
  const prototype: { write: Write } = Object.getPrototypeOf(file)
  await file.close()
  const { write } = prototype
  let writes = 0
  const spy = vi.spyOn(prototype, 'write').mockImplementation(function (
    this: FileHandle,
    bytes,
    from,
    length,
    offset,
  ) {
    const taken = writes++ === wholeWrites ? Math.floor(length / 2) : length
    return write.call(this, bytes, from, taken, offset)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
}

describe('a start with fewer hot wallets than the log has entries of', () => {
  it('states how many hot wallets there must be, and works with that many', async () => {
    const opened = await useTestSigner({ hotWallets: 4 })
    const request = askToPay(approvedPayment(opened.intentKey), { from: { type: 'hotWallet', hotWallet: 3 } })
    expect(await opened.signer.sign([request])).toMatchObject([{ type: 'signed' }])
    await expect(opened.reopen({ hotWallets: 3 })).rejects.toThrow(
      new SignerSetupError('The log has entries of hot wallet 3: start with --hot-wallets 4 or more'),
    )
    const again = await opened.reopen({ hotWallets: 4 })
    expect(await again.signer.sign([request])).toMatchObject([{ type: 'signed', sequence: 1 }])
  })
})

describe('an altered log', () => {
  it('is refused whichever byte was changed', async () => {
    const opened = await useTestSigner()
    await signed(opened, 3)
    await opened.signer.close()
    const whole = await readFile(opened.logPath)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
        const altered = Buffer.from(whole)
        altered[index] = (altered[index] ?? 0) ^ change
        await writeFile(opened.logPath, altered)
        await expect(openAgain(opened)).rejects.toThrow('cannot be trusted')
        expect(await readFile(opened.logPath)).toEqual(altered)
      }),
      { numRuns: 60 },
    )
    await writeFile(opened.logPath, whole)
    await (await openAgain(opened)).signer.close()
  })

  it('is refused if it was truncated, by whole entries or within one', async () => {
    const opened = await useTestSigner()
    await signed(opened, 3)
    await opened.signer.close()
    const { length } = await readFile(opened.logPath)
    for (const left of [0, Math.floor(length / 3), Math.floor(length / 2), length - 1]) {
      await truncate(opened.logPath, left)
      await expect(openAgain(opened)).rejects.toThrow('cannot be trusted')
    }
  })

  it('is refused if entries were reordered or repeated, or if the position file is missing', async () => {
    const opened = await useTestSigner()
    await signed(opened, 3)
    await opened.signer.close()
    const lines = (await readFile(opened.logPath, 'utf8')).trimEnd().split('\n')
    const [one = '', two = '', three = ''] = lines
    for (const order of [
      [two, one, three],
      [one, one, two, three],
      [one, three],
    ]) {
      await writeFile(opened.logPath, `${order.join('\n')}\n`)
      await expect(openAgain(opened)).rejects.toThrow('cannot be trusted')
    }
    await writeFile(opened.logPath, `${lines.join('\n')}\n`)
    await writeFile(`${opened.logPath}.position`, '')
    await expect(openAgain(opened)).rejects.toThrow('cannot be trusted')
  })

  it('is refused if it belongs to another keystore', async () => {
    const opened = await useTestSigner()
    await signed(opened, 1)
    const other = await useTestSigner()
    await signed(other, 1)
    await opened.signer.close()
    await copyFile(other.logPath, opened.logPath)
    await copyFile(`${other.logPath}.position`, `${opened.logPath}.position`)
    await expect(openAgain(opened)).rejects.toThrow('cannot be trusted')
  })

  it('is refused if it is missing, and is not created again', async () => {
    const opened = await useTestSigner()
    await opened.signer.close()
    await rm(opened.logPath)
    await expect(openAgain(opened)).rejects.toThrow('is missing')
    await appendFile(opened.logPath, '')
    await rm(`${opened.logPath}.position`)
    await expect(openAgain(opened)).rejects.toThrow('is missing')
  })
})

/** Opens a signer on the existing files, and creates none. */
function openAgain(opened: TestSigner): Promise<TestSigner> {
  return openTestSigner({ ...opened.options, isNew: false })
}
