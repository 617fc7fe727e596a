import { RawTx } from '@scure/btc-signer'
import { describe } from 'vitest'
import { coinSenderConformance } from '../../src/chains/conformance/coin-sender.ts'
import type { CoinSenderWorld, Spending, WorldCoin } from '../../src/chains/conformance/coin-sender-world.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeCoinSender } from '../../src/chains/fake/fake-coin-sender.ts'
import type { UtxoNetwork } from '../../src/chains/networks.ts'
import { openCoinSender } from '../../src/chains/open-chain.ts'
import { readRawTransaction } from '../../src/chains/utxo/encoding/raw-block.ts'
import { silentLog } from '../../src/core/log.ts'
import { newOutsider } from '../support/coin-requests.ts'
import { legacyLitecoin } from '../support/legacy-litecoin.ts'
import { mineWallet } from '../support/litecoin-wallet.ts'
import { hasLitecoind, litecoinRegtest, startLitecoind } from '../support/litecoind.ts'

for (const canReplace of [false, true]) {
  const how = canReplace ? 'that replaces' : 'that replaces nothing'
  coinSenderConformance(`a fake chain of coins ${how}`, async () => fakeWorld(canReplace))
  describe.skipIf(!hasLitecoind)('with litecoind', () => {
    coinSenderConformance(`a litecoind ${how}`, () => litecoinWorld(litecoinRegtest, canReplace))
  })
}
describe.skipIf(!hasLitecoind)('with litecoind', () => {
  coinSenderConformance('a litecoind without witnesses', () => litecoinWorld(legacyLitecoin, false))
})

const paidMinor = 5_000_000n

async function litecoinWorld(network: UtxoNetwork, canReplace: boolean): Promise<CoinSenderWorld> {
  const node = await startLitecoind(['-vbparams=mweb:-2:0', ...(canReplace ? [] : ['-mempoolreplacement=0'])])
  const wallet = await mineWallet(node, 40, network.chain.bech32 !== undefined)
  const sender = openCoinSender({ network, urls: [node.url], log: silentLog })
  const spend = ({ outpoint, amountMinor }: WorldCoin, feeMinor: bigint): Spending => {
    const [txid = '', place = ''] = outpoint.split(':')
    const coins = { txid, place: Number(place), amountMinor }
    const outputs = [
      { to: newOutsider(network), amountMinor: paidMinor },
      { to: wallet.address, amountMinor: amountMinor - paidMinor - feeMinor },
    ]
    return spending(wallet.sign(outputs, { coins, feeMinor, replaceable: true }).raw)
  }
  return {
    sender,
    canReplace,
    spend,
    newCoin: async () => {
      const { txid, place, amountMinor } = wallet.takeCoins()
      return { outpoint: `${txid}:${place}`, amountMinor }
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

/** `generateblock` takes what it is given in that order. */
async function parentsFirst(
  entries: Readonly<Record<string, { readonly ancestorcount: number }>>,
): Promise<readonly string[]> {
  const sorted = Object.entries(entries).sort(([, a], [, b]) => a.ancestorcount - b.ancestorcount)
  return sorted.map(([txid]) => txid)
}

function fakeWorld(canReplace: boolean): CoinSenderWorld {
  const chain = new FakeChain({ hashPrefix: '' })
  const network: UtxoNetwork = { ...litecoinRegtest, chain: { ...litecoinRegtest.chain, canReplace } }
  const sender = openFakeCoinSender(chain, network)
  const asset = { type: 'coin' } as const
  return {
    sender,
    canReplace,
    newCoin: async () => {
      const amountMinor = 5n * 10n ** 9n
      const made = chain.transaction([{ asset, sender: '', recipient: 'us', amountMinor }], { spends: [] })
      chain.mine([made])
      return { outpoint: `${made.hash}:0`, amountMinor }
    },
    spend: (coin, feeMinor) => spending(rawOf(coin, feeMinor)),
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

function rawOf({ outpoint, amountMinor }: WorldCoin, feeMinor: bigint): string {
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
