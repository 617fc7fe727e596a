import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { networks, type UtxoNetwork } from '../networks.ts'
import { utxoChains } from '../utxo-chains.ts'
import { openUtxoReader } from './reader.ts'

const never = new AbortController().signal
const chain = utxoChains.dogecoin.regtest
const dogecoin: UtxoNetwork = { ...networks.dogecoin, chain }

const zeros = (bytes: number) => '00'.repeat(bytes)
const hash = (hex: string) => {
  const inner = createHash('sha256').update(Buffer.from(hex, 'hex')).digest()
  return createHash('sha256').update(inner).digest()
}
const spelled = (bytes: Buffer) => Buffer.from(bytes).reverse().toString('hex')

/** One input, and one output of 12.34567890 to the hash of a key that is all `digit`s. */
function transaction(input: string, digit: string): string {
  const script = `76a914${digit.repeat(40)}88ac`
  return `0100000001${input}00ffffffff01d20296490000000019${script}00000000`
}

const coinbase = transaction(`${zeros(32)}ffffffff`, 'a')
const payment = transaction(`${'11'.repeat(32)}00000000`, 'b')
const root = hash(Buffer.concat([hash(coinbase), hash(payment)]).toString('hex')).toString('hex')
const parentHash = 'cd'.repeat(32)
// Version 4 of chain 0x62, mined together with another coin.
const header = `04016200${parentHash}${root}00e1f505ffff7f2000000000`
// The other coin's first transaction and the hash of its block, two branches of one and of no hash, its header.
const auxPow = `${coinbase}${zeros(32)}01${zeros(32)}00000000${'00'}00000000${zeros(80)}`
const block = { hash: spelled(hash(header)), hex: `${header}${auxPow}02${coinbase}${payment}` }

/** As Dogecoin Core 1.14 answers, whose `getblock` knows of no verbosity by numbers. */
function answerOf(method: string, params: readonly unknown[]) {
  if (method === 'getnetworkinfo') return { result: { version: 1_140_900 } }
  if (method === 'getblockhash') return { result: params[0] === 0 ? chain.genesisHash : block.hash }
  if (method === 'getblock' && params[1] === false) return { result: block.hex }
  return { error: { code: -1, message: 'JSON value is not a boolean as expected' } }
}

let node: Server
beforeAll(async () => {
  node = createServer(async (request, response) => {
    const calls = (await json(request)) as { id: number; method: string; params: readonly unknown[] }[]
    response.end(JSON.stringify(calls.map(({ id, method, params }) => ({ id, ...answerOf(method, params) }))))
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  node.close()
  node.closeAllConnections()
})

it('reads a block of Dogecoin that was mined together with another coin, as Dogecoin Core 1.14 tells it', async () => {
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const reader = openUtxoReader({ network: dogecoin, url })
  const facts = await reader.readBlock(7, never)
  await reader.close()
  expect(facts?.block).toMatchObject({ height: 7, hash: block.hash, parentHash })
  expect(facts?.transfers).toMatchObject([
    { amountMinor: 1_234_567_890n, maturesAfter: 240 },
    { key: `${spelled(hash(payment))}:0`, amountMinor: 1_234_567_890n },
  ])
  expect(facts?.spent).toEqual([{ outpoint: `${'11'.repeat(32)}:0`, txHash: spelled(hash(payment)) }])
})
