/** Whoever mines the sandbox's Litecoin chain, and the wallets that its first blocks paid. */
import { field } from '../chains/json-rpc.ts'
import { readOperatorsAddress } from './fund-litecoin.ts'
import { callLitecoin, operatorsWallet, outsidersWallet, walletUrl } from './litecoin-call.ts'

/** A hundred for the outsider, and a hundred on them, before which nobody may spend them. */
const firstBlocks = 200
/** Below it the outsider is given more. */
const coinsMin = 100
/** What is mined on a block that held payments, so that they are confirmed. */
const blocksAfterPayments = 6
const idleMs = 60_000
/** Until then what a node has mined is in its memory alone. */
const saveEveryMs = 10_000

/** Opens the node's wallets, made at the first start, and mines coins into them where the outsider has hardly any. */
export async function prepareWallets(url: string): Promise<void> {
  const open = await callLitecoin(url, 'listwallets')
  for (const wallet of [outsidersWallet, operatorsWallet]) {
    if (Array.isArray(open) && open.includes(wallet)) continue
    await callLitecoin(url, 'loadwallet', [wallet]).catch(() => callLitecoin(url, 'createwallet', [wallet]))
  }
  const outsider = walletUrl(url, outsidersWallet)
  if (Number(await callLitecoin(outsider, 'getbalance')) >= coinsMin) return
  await callLitecoin(url, 'generatetoaddress', [1, await readOperatorsAddress(url)])
  const address = await callLitecoin(outsider, 'getnewaddress', ['', 'bech32'])
  await callLitecoin(url, 'generatetoaddress', [firstBlocks, address])
  await save(url)
}

export interface Miner {
  stop(): void
}

/**
 * Mines a block each `blockTimeS` seconds while payments wait or have just been mined, and one a minute otherwise. It never
 * fails: a node that does not answer is asked again.
 */
export function startMiner(url: string, blockTimeS: number): Miner {
  const standing: Standing = { blocksLeft: 0, minedAtMs: performance.now(), savedAtMs: performance.now() }
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
  const take = () => mineNowAndThen(url, standing)
  next()
  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

interface Standing {
  blocksLeft: number
  minedAtMs: number
  savedAtMs: number
}

async function mineNowAndThen(url: string, standing: Standing): Promise<void> {
  const waiting = Number(field(await callLitecoin(url, 'getmempoolinfo'), 'size'))
  if (waiting > 0) standing.blocksLeft = blocksAfterPayments
  else if (standing.blocksLeft > 0) standing.blocksLeft -= 1
  else if (performance.now() < standing.minedAtMs + idleMs) return
  // Paid to nobody: a script that anybody may spend.
  await callLitecoin(url, 'generatetodescriptor', [1, 'raw(51)'])
  standing.minedAtMs = performance.now()
  if (performance.now() < standing.savedAtMs + saveEveryMs) return
  await save(url)
  standing.savedAtMs = performance.now()
}

/** The node writes to disk what it holds in memory before it counts it. */
async function save(url: string): Promise<void> {
  await callLitecoin(url, 'gettxoutsetinfo')
}
