/** Mines the sandbox's Litecoin chain. The rewards of its first blocks fund the wallets. */
import { field } from '../chains/json-rpc.ts'
import { readOperatorsAddress } from './fund-litecoin.ts'
import { callLitecoin, faucetWallet, operatorsWallet, walletUrl } from './litecoin-call.ts'

/**
 * Number of blocks that are mined at the first start. Coinbase outputs can be spent after 100 confirmations,
 * so 200 blocks give the faucet 100 spendable outputs.
 */
const firstBlocks = 200
/** More coins are mined for the faucet if its balance is below this number of whole coins. */
const coinsMin = 100
/** Number of blocks that are mined after a block with payments, so that the payments are confirmed. */
const blocksAfterPayments = 6
const idleMs = 60_000
/** Interval at which new blocks are saved to disk. Until then, the node has them in memory only. */
const saveEveryMs = 10_000

/**
 * Opens the node's wallets, or creates them at the first start. If the faucet's balance is low, mines coins
 * for the operator and the faucet.
 */
export async function prepareWallets(url: string): Promise<void> {
  const open = await callLitecoin(url, 'listwallets')
  for (const wallet of [faucetWallet, operatorsWallet]) {
    if (Array.isArray(open) && open.includes(wallet)) continue
    await callLitecoin(url, 'loadwallet', [wallet]).catch(() => callLitecoin(url, 'createwallet', [wallet]))
  }
  const faucet = walletUrl(url, faucetWallet)
  if (Number(await callLitecoin(faucet, 'getbalance')) >= coinsMin) return
  await callLitecoin(url, 'generatetoaddress', [1, await readOperatorsAddress(url)])
  const address = await callLitecoin(faucet, 'getnewaddress', ['', 'bech32'])
  await callLitecoin(url, 'generatetoaddress', [firstBlocks, address])
  await save(url)
}

export interface Miner {
  stop(): void
}

/**
 * Mines a block every `blockTimeS` seconds while payments wait, and for a few more blocks so that they are
 * confirmed. At other times mines one block a minute. If the node does not answer, the miner tries again.
 */
export function startMiner(url: string, blockTimeS: number): Miner {
  const state: MinerState = { blocksLeft: 0, minedAtMs: performance.now(), savedAtMs: performance.now() }
  let timer: NodeJS.Timeout
  let isStopped = false
  const next = () => {
    if (isStopped) return
    timer = setTimeout(
      () =>
        void take()
          .catch(() => {})
          .then(next),
      blockTimeS * 1000,
    )
    timer.unref()
  }
  const take = () => mineNowAndThen(url, state)
  next()
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

interface MinerState {
  blocksLeft: number
  minedAtMs: number
  savedAtMs: number
}

async function mineNowAndThen(url: string, state: MinerState): Promise<void> {
  const waiting = Number(field(await callLitecoin(url, 'getmempoolinfo'), 'size'))
  if (waiting > 0) state.blocksLeft = blocksAfterPayments
  else if (state.blocksLeft > 0) state.blocksLeft -= 1
  else if (performance.now() < state.minedAtMs + idleMs) return
  // Nobody needs the reward of this block, so it goes to a script whose outputs anybody may spend.
  await callLitecoin(url, 'generatetodescriptor', [1, 'raw(51)'])
  state.minedAtMs = performance.now()
  if (performance.now() < state.savedAtMs + saveEveryMs) return
  await save(url)
  state.savedAtMs = performance.now()
}

/**
 * Makes the node write its blocks to disk. The call counts the node's UTXO set, and the node writes its
 * blocks before it counts.
 */
async function save(url: string): Promise<void> {
  await callLitecoin(url, 'gettxoutsetinfo')
}
