/** Measures catch-up on litecoind, whose blocks have many small transactions, as is usual on UTXO chains. */

import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Address, OutScript, RawTx } from '@scure/btc-signer'
import { networks } from '../src/chains/networks.ts'
import { openChain } from '../src/chains/open-chain.ts'
import { addressEncodingOf } from '../src/chains/utxo/address-encoding.ts'
import { readRawTransaction } from '../src/chains/utxo/encoding/raw-block.ts'
import { utxoChains } from '../src/chains/utxo/utxo-chains.ts'
import { required } from '../src/core/assert.ts'
import { silentLog } from '../src/core/log.ts'
import { devPaymentMethods } from '../src/pricing/payment-methods/catalogue.ts'
import { paymentMethods } from '../src/pricing/payment-methods/payment-method.ts'
import { findProgram } from '../src/sandbox/find-program.ts'
import { startLitecoind } from '../src/sandbox/litecoind.ts'
import { openBatchCaller, resultsOf } from './batch-calls.ts'
import { type CaughtChain, inParallel, measureCatchUps } from './catch-up.ts'
import { closeAfter } from './close-after.ts'
import type { PaidIn } from './fill-shop.ts'
import type { Measurement } from './measurement.ts'
import { openShop, type Prepared, type Shop } from './shops.ts'

const chain = utxoChains.litecoin.regtest
const codec = Address(addressEncodingOf(chain))

const inLitecoin: PaidIn = {
  methodId: 5,
  network: 'litecoin',
  family: 'litecoin',
  amountMinor: 1_000_000n,
  priceUsd: 1_000n * 10n ** 12n,
  addressOf: (seed, index) => {
    const hash = createHash('sha256').update(`${seed}:${index}`).digest().subarray(0, 20)
    return codec.encode({ type: 'wpkh', hash })
  },
}

export async function measureLitecoinCatchUps(prepared: Prepared): Promise<readonly Measurement[]> {
  if (findProgram('litecoind') === undefined) {
    prepared.note('litecoind is not on the PATH: catch-up on it is not measured')
    return []
  }
  const shops: Shop[] = []
  for (const watched of prepared.sizes.watched)
    shops.push(await openShop(prepared.postgres, prepared, watched, inLitecoin))
  return closeAfter(async (opened) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'coffer-bench-'))
    opened.add('its folder', () => rm(folder, { recursive: true, force: true }))
    // The long block time prevents the node from mining blocks that this benchmark did not request.
    const node = await startLitecoind({ dataDir: folder, blockTimeS: 86_400, log: silentLog })
    opened.add('litecoind', () => node.stop())
    const reader = openChain({
      network: { ...networks.litecoin, chain },
      urls: [node.url],
      log: silentLog,
    })
    opened.add('reader', () => reader.close())
    const cookie = required(new URL(node.url).searchParams.get('cookiefile'), 'cookie file')
    const caller = openBatchCaller(node.url, 8, await readFile(cookie, 'utf8'))
    opened.add('caller', () => caller.close())
    const ask = async (method: string, ...params: readonly unknown[]) =>
      resultsOf(await caller.ask([{ method, params }]))[0]
    const utxos = await mineUtxos(ask)
    const caught: CaughtChain = {
      title: 'litecoind, ',
      chain: reader,
      shops,
      methods: paymentMethods(devPaymentMethods([]), new Set(['litecoin'])),
      strangerOf: (index) => inLitecoin.addressOf('strangers', index),
      mine: async (recipients) => void (await ask('generateblock', 'raw(51)', recipients.map(utxos.pay))),
      readBare: (from, to) =>
        inParallel(from, to, async (height) => {
          const hash = await ask('getblockhash', height)
          await ask('getblock', hash, false)
        }),
    }
    return measureCatchUps(prepared, caught)
  })
}

interface Utxo {
  readonly txid: string
  readonly index: number
  readonly amountMinor: bigint
}

type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/**
 * Number of spendable outputs in each of the funding blocks. Their total exceeds the number of payments in a
 * block, so that every payment spends an output of an earlier block.
 */
const utxosPerBlock = 7
const fundingBlocks = 30
const maturityBlocks = 100
const feeMinor = 1_000n

/** Mines outputs that anybody may spend. Each payment leaves its change as an output for a later payment. */
async function mineUtxos(ask: Ask): Promise<{ pay(recipient: string): string }> {
  const hashes = (await ask('generatetodescriptor', fundingBlocks, 'raw(51)')) as readonly string[]
  await ask('generatetodescriptor', maturityBlocks, 'raw(51)')
  const utxos: Utxo[] = []
  for (const hash of hashes) {
    const { tx } = (await ask('getblock', hash, 2)) as {
      tx: readonly { txid: string; vout: { value: number }[] }[]
    }
    const { txid = '', vout = [] } = tx[0] ?? {}
    const amountMinor = BigInt(Math.round((vout[0]?.value ?? 0) * 10 ** 8))
    const share = (amountMinor - feeMinor) / BigInt(utxosPerBlock)
    const outputs = Array.from({ length: utxosPerBlock }, () => ({ amount: share, script: anyoneCanSpend }))
    const raw = spend({ txid, index: 0, amountMinor }, outputs)
    await ask('generateblock', 'raw(51)', [raw])
    const { txid: made } = readRawTransaction(raw)
    for (const index of outputs.keys()) utxos.push({ txid: made, index, amountMinor: share })
  }
  const pay = (recipient: string) => {
    const utxo = required(utxos.shift(), 'a coin')
    const rest = utxo.amountMinor - inLitecoin.amountMinor - feeMinor
    const raw = spend(utxo, [
      { amount: inLitecoin.amountMinor, script: OutScript.encode(codec.decode(recipient)) },
      { amount: rest, script: anyoneCanSpend },
    ])
    utxos.push({ txid: readRawTransaction(raw).txid, index: 1, amountMinor: rest })
    return raw
  }
  return { pay }
}

/** The script OP_TRUE. */
const anyoneCanSpend = Uint8Array.of(0x51)
/**
 * Bytes with the length of a signature and a public key. The spent output requires neither, but real
 * transactions have both.
 */
const likeASignature = Uint8Array.of(
  72,
  ...new Uint8Array(72).fill(0x30),
  33,
  2,
  ...new Uint8Array(32).fill(7),
)

function spend(utxo: Utxo, outputs: readonly { amount: bigint; script: Uint8Array }[]): string {
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: false,
    witnesses: undefined,
    lockTime: 0,
    inputs: [
      {
        txid: Buffer.from(utxo.txid, 'hex'),
        index: utxo.index,
        finalScriptSig: likeASignature,
        sequence: 0xffffffff,
      },
    ],
    outputs: [...outputs],
  })
  return Buffer.from(bytes).toString('hex')
}
