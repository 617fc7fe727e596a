import { RawTx } from '@scure/btc-signer'
import { describe } from 'vitest'
import { utxoSenderConformance } from '../../src/chains/conformance/utxo-sender.ts'
import type {
  HarnessUtxo,
  Spending,
  UtxoSenderHarness,
} from '../../src/chains/conformance/utxo-sender-harness.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeUtxoSender } from '../../src/chains/fake/fake-utxo-sender.ts'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { openUtxoSender } from '../../src/chains/open-chain.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { silentLog } from '../../src/core/log.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { mineWallet } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest, startLitecoind } from '../support/litecoind.ts'
import { newExternalAddress } from '../support/utxo-requests.ts'

for (const canReplace of [false, true]) {
  const how = canReplace ? 'that replaces' : 'that replaces nothing'
  utxoSenderConformance(`a fake chain of coins ${how}`, async () => fakeHarness(canReplace))
  describe.skipIf(!hasLitecoind)('with litecoind', () => {
    utxoSenderConformance(`a litecoind ${how}`, () => litecoinHarness(litecoinRegtest, canReplace))
  })
}
describe.skipIf(!hasLitecoind)('with litecoind', () => {
  utxoSenderConformance('a litecoind without witnesses', () => litecoinHarness(legacyLitecoin, false))
})

const paidMinor = 5_000_000n

async function litecoinHarness(network: UtxoNetwork, canReplace: boolean): Promise<UtxoSenderHarness> {
  const node = await startLitecoind(['-vbparams=mweb:-2:0', ...(canReplace ? [] : ['-mempoolreplacement=0'])])
  const wallet = await mineWallet(node, 40, network.chain.bech32 !== undefined)
  const sender = openUtxoSender({ network, urls: [node.url], log: silentLog })
  const spend = ({ outpoint, amountMinor }: HarnessUtxo, feeMinor: bigint): Spending => {
    const [txid = '', index = ''] = outpoint.split(':')
    const utxo = { txid, index: Number(index), amountMinor }
    const outputs = [
      { to: newExternalAddress(network), amountMinor: paidMinor },
      { to: wallet.address, amountMinor: amountMinor - paidMinor - feeMinor },
    ]
    return spending(wallet.sign(outputs, { utxo, feeMinor, replaceable: true }).raw)
  }
  return {
    sender,
    canReplace,
    spend,
    newUtxo: async () => {
      const { txid, index, amountMinor } = wallet.takeUtxo()
      return { outpoint: `${txid}:${index}`, amountMinor }
    },
    mine: async () => node.mineOnly(await parentsFirst(await node.rpc('getrawmempool', true))),
    mineOnly: (raw) => node.mineOnly([raw]),
    rollback: (depth) => node.rollBack(depth),
    close: async () => {
      await sender.close()
      await node.stop()
    },
  }
}

/** Sorts transactions by their number of ancestors, because `generateblock` keeps the given order. */
async function parentsFirst(
  entries: Readonly<Record<string, { readonly ancestorcount: number }>>,
): Promise<readonly string[]> {
  const sorted = Object.entries(entries).sort(([, a], [, b]) => a.ancestorcount - b.ancestorcount)
  return sorted.map(([txid]) => txid)
}

function fakeHarness(canReplace: boolean): UtxoSenderHarness {
  const chain = new FakeChain({ hashPrefix: '' })
  const network: UtxoNetwork = { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, canReplace } }
  const sender = openFakeUtxoSender(chain, network)
  const asset = { type: 'coin' } as const
  return {
    sender,
    canReplace,
    newUtxo: async () => {
      const amountMinor = 5n * 10n ** 9n
      const made = chain.transaction([{ asset, sender: '', recipient: 'us', amountMinor }], { spends: [] })
      chain.mine([made])
      return { outpoint: `${made.hash}:0`, amountMinor }
    },
    spend: (utxo, feeMinor) => spending(rawOf(utxo, feeMinor)),
    mine: async () => sender.mine(),
    mineOnly: async (raw) => {
      const { txid, inputs } = readRawTransaction(raw)
      const spends = inputs.map(({ outpoint }) => outpoint)
      return chain.mine([{ hash: txid, failed: false, moves: [], spends }]).height
    },
    rollback: async (depth) => void chain.rollback(depth),
    close: () => sender.close(),
  }
}

function rawOf({ outpoint, amountMinor }: HarnessUtxo, feeMinor: bigint): string {
  const [txid = '', index = ''] = outpoint.split(':')
  const script = Buffer.from(`0014${'77'.repeat(20)}`, 'hex')
  const bytes = RawTx.encode({
    version: 2,
    segwitFlag: false,
    witnesses: undefined,
    lockTime: 0,
    inputs: [
      {
        txid: Buffer.from(txid, 'hex'),
        index: Number(index),
        sequence: 0xfffffffd,
        finalScriptSig: new Uint8Array(),
      },
    ],
    outputs: [paidMinor, amountMinor - paidMinor - feeMinor].map((amount) => ({ amount, script })),
  })
  return Buffer.from(bytes).toString('hex')
}

function spending(raw: string): Spending {
  const { txid, outputs } = readRawTransaction(raw)
  const amountMinor = outputs[1]?.amountMinor ?? 0n
  return { txHash: txid, raw, change: { outpoint: `${txid}:1`, amountMinor } }
}
