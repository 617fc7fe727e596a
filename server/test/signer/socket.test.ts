/** Tests the signer's socket: who may open it, and that no data sent to it does harm. */
import { once } from 'node:events'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { createConnection, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SignerClient } from '../../src/outgoing/engine/signer-client/signer-client.ts'
import { serveSigner } from '../../src/signer/serve.ts'
import { SignerAwayError, type SignRequest } from '../../src/signing/signer-port.ts'
import { wireLimits } from '../../src/signing/signer-wire.ts'
import { litecoinRegtest } from '../support/litecoind.ts'
import { approvedPayment, askToPay, type TestSigner, useTestSigner } from '../support/signer.ts'
import { validOutgoing } from '../support/utxo-requests.ts'

async function served() {
  const opened = await useTestSigner()
  const socketPath = join(dirname(opened.logPath), 'signer.sock')
  const errors: Error[] = []
  const onError = (error: Error) => void errors.push(error)
  const serve = () => serveSigner({ core: opened.signer, socketPath, onError })
  const server = await serve()
  const client = new SignerClient(socketPath)
  onTestFinished(async () => {
    await client.close()
    await server.close().catch(() => {})
  })
  return { opened, socketPath, server, client, errors, serve }
}

function requestsOf(opened: TestSigner, count: number, from = 0) {
  return Array.from({ length: count }, (_, index) =>
    askToPay(approvedPayment(opened.intentKey), { nonce: from + index }),
  )
}

async function connected(socketPath: string): Promise<Socket> {
  const socket = createConnection(socketPath)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Returns everything that is received until the signer closes the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

it('transmits everything exactly, with amounts and dates', async () => {
  const { opened, client } = await served()
  const requests: SignRequest[] = [...requestsOf(opened, 2), validOutgoing(opened, litecoinRegtest).ask()]
  const answers = await client.sign(requests)
  expect(answers.map(({ type }) => type)).toEqual(['signed', 'signed', 'signed'])
  expect(await client.attest()).toEqual(await opened.signer.attest())
  expect(await client.readLog(0, 10)).toEqual(await opened.signer.readLog(0, 10))
  expect(await client.sign(requests)).toEqual(answers)
})

it('accepts more requests at once than fit into one call, and returns the whole log in parts', async () => {
  const { opened, client } = await served()
  const count = wireLimits.requestsPerCall + 5
  const answers = await client.sign(requestsOf(opened, count))
  expect(answers.filter(({ type }) => type === 'signed')).toHaveLength(count)
  const sequences: number[] = []
  for (let after = 0; ; ) {
    const entries = await client.readLog(after, 60)
    if (entries.length === 0) break
    sequences.push(...entries.map(({ sequence }) => sequence))
    after = sequences.at(-1) ?? 0
  }
  expect(sequences).toEqual(Array.from({ length: count }, (_, index) => index + 1))
})

it('accepts requests that together exceed a call, and answers each separately', async () => {
  const { opened, client } = await served()
  const right = validOutgoing(opened, litecoinRegtest).ask()
  const large = { ...right, psbt: 'A'.repeat(wireLimits.callBytes / 2) }
  const larger = { ...right, psbt: `${large.psbt}AAAA` }
  const answers = await client.sign([large, large, larger, right])
  expect(answers).toMatchObject([
    { detail: 'The PSBT cannot be read' },
    { detail: 'The PSBT cannot be read' },
    { detail: 'psbt is not base64' },
    { type: 'signed' },
  ])
})

it('serves two clients at once, and signs one withdrawal for only one of them', async () => {
  const { opened, client, socketPath } = await served()
  const other = new SignerClient(socketPath)
  onTestFinished(() => other.close())
  const payments = Array.from({ length: 20 }, () => approvedPayment(opened.intentKey))
  const [mine, theirs] = await Promise.all([
    client.sign(
      payments.map((payment, nonce) => askToPay(payment, { outgoingTransactionId: `a${nonce}`, nonce })),
    ),
    other.sign(
      payments.map((payment, nonce) =>
        askToPay(payment, {
          outgoingTransactionId: `b${nonce}`,
          nonce,
          from: { type: 'hotWallet', hotWallet: 1 },
        }),
      ),
    ),
  ])
  for (const index of payments.keys()) {
    const types = [mine[index]?.type, theirs[index]?.type].sort()
    expect(types).toEqual(['refused', 'signed'])
  }
  expect((await client.attest()).logEntries).toBe(20)
})

describe('an invalid request', () => {
  it('gets one answer and is disconnected, whatever it contains', async () => {
    const { socketPath, client, errors } = await served()
    const nonsense = [
      'GET / HTTP/1.1',
      '',
      '{',
      '[]',
      'null',
      '{"id":"1","call":"attest"}',
      '{"call":"attest"}',
      `${'['.repeat(1_000_000)}`,
      Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    ]
    for (const one of nonsense) {
      const socket = await connected(socketPath)
      socket.write(Buffer.concat([Buffer.from(one), Buffer.from('\n')]))
      expect(await readToEnd(socket)).toContain('Not a call')
    }
    const socket = await connected(socketPath)
    for (const [index, call] of ['', 'close', '__proto__', 'constructor'].entries()) {
      socket.write(`${JSON.stringify({ id: index, call })}\n`)
    }
    socket.write('{"id":9,"call":"sign"}\n{"id":10,"call":"readLog","after":-1,"max":1}\n')
    socket.end('{"id":11,"call":"sign","requests":[{}]}\n')
    const said = (await readToEnd(socket)).trim().split('\n')
    expect(said).toHaveLength(7)
    expect(said.slice(0, 6).every((line) => line.includes('error'))).toBe(true)
    expect(said[6]).toContain('refused')
    expect((await client.attest()).logEntries).toBe(0)
    expect(errors).toEqual([])
  })

  it('is disconnected if its line does not end', async () => {
    const { socketPath, client } = await served()
    const socket = await connected(socketPath)
    const answer = readToEnd(socket)
    socket.on('error', () => {})
    socket.write(Buffer.alloc(wireLimits.callBytes + 1, 'x'))
    expect(await answer).toContain('Not a call')
    expect((await client.attest()).logEntries).toBe(0)
  })

  it('does not delay others if it never ends, or disconnects half way', async () => {
    const { socketPath, client } = await served()
    const silent = await connected(socketPath)
    silent.write('{"id":1,"call":')
    const gone = await connected(socketPath)
    gone.write('{"id":1,"call":"attest"}\n{"id":2,')
    gone.destroy()
    expect((await client.attest()).family).toBe('evm')
  })
})

describe('an unavailable signer', () => {
  it('is reported, and is found again when it is back', async () => {
    const { opened, client, server, serve } = await served()
    await client.attest()
    await server.close()
    await expect(client.attest()).rejects.toThrow(SignerAwayError)
    const again = await serve()
    onTestFinished(() => again.close())
    expect((await client.sign(requestsOf(opened, 1)))[0]?.type).toBe('signed')
  })

  it('answers or rejects every request that was waiting', async () => {
    const { opened, client, server } = await served()
    await client.attest()
    const asked = client.sign(requestsOf(opened, 100)).then(
      () => 'answered',
      (error: Error) => error.name,
    )
    await server.close()
    expect(await asked).toBe('SignerAwayError')
  })

  it('reports that its log cannot be written, and signs nothing more', async () => {
    const { opened, client, errors } = await served()
    await opened.signer.close()
    await expect(client.sign(requestsOf(opened, 1))).rejects.toThrow(SignerAwayError)
    expect(errors).toHaveLength(1)
    await expect(client.sign(requestsOf(opened, 1))).rejects.toThrow(SignerAwayError)
  })
})

describe('the socket', () => {
  it('can be opened only by its user and group', async () => {
    const { socketPath } = await served()
    expect((await stat(socketPath)).mode & 0o777).toBe(0o660)
  })

  it('is not created in a folder that anybody can enter', async () => {
    const { opened } = await served()
    const folder = join(dirname(opened.logPath), 'open')
    await mkdir(folder)
    await chmod(folder, 0o755)
    const parts = { core: opened.signer, socketPath: join(folder, 's'), onError: () => {} }
    await expect(serveSigner(parts)).rejects.toThrow(`chmod 750 ${folder}`)
    await expect(serveSigner({ ...parts, socketPath: join(folder, 'none', 's') })).rejects.toThrow(
      'is missing',
    )
  })
})
