/** A payer with a browser, who uses a running Coffer and its development chain. */
import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import { transferCall } from './anvil.ts'
import type { RunningCoffer } from './coffer-process.ts'

const gas = '0x30000'
const walletName = 'Test Wallet'

/** Sends USDT to an address from an external account and returns the transaction's hash. */
export async function sendTether(
  { url, nodeUrl }: RunningCoffer,
  to: string,
  amountMinor: bigint,
): Promise<string> {
  const accounts = (await callNode(nodeUrl, 'eth_accounts', [])) as string[]
  const methods = (await (await fetch(`${url}/payment-methods`)).json()) as { contract: string }[]
  const contract = required(methods[0], 'USDT').contract
  const call = { from: accounts[1], to: contract, data: transferCall(to, amountMinor), gas }
  return String(await callNode(nodeUrl, 'eth_sendTransaction', [call]))
}

/** Returns the height of the block that includes a transaction, and when this process learned of it. */
export async function minedIn(
  { nodeUrl }: RunningCoffer,
  txHash: string,
): Promise<{ readonly height: number; readonly atMs: number }> {
  const receipt = await vi.waitUntil(
    () => callNode(nodeUrl, 'eth_getTransactionReceipt', [txHash]) as Promise<{ blockNumber: string } | null>,
    { interval: 5, timeout: 20_000 },
  )
  return { height: Number(receipt.blockNumber), atMs: performance.now() }
}

/** Lets the development chain mine a block every `blockTimeS` whole seconds, or none by itself if it is 0. */
export async function setBlockTime({ nodeUrl }: RunningCoffer, blockTimeS: number): Promise<void> {
  await callNode(nodeUrl, 'evm_setIntervalMining', [blockTimeS])
}

export async function mineBlock({ nodeUrl }: RunningCoffer): Promise<void> {
  await callNode(nodeUrl, 'evm_mine', [])
}

/** Drops the blocks from one height on, with their transactions, even if another block is mined meanwhile. */
export async function dropBlocks({ nodeUrl }: RunningCoffer, height: number): Promise<void> {
  const hashAt = async () =>
    (
      (await callNode(nodeUrl, 'eth_getBlockByNumber', [`0x${height.toString(16)}`, false])) as {
        hash: string
      }
    ).hash
  const dropped = await hashAt()
  do {
    const head = Number(await callNode(nodeUrl, 'eth_blockNumber', []))
    await callNode(nodeUrl, 'anvil_reorg', [head - height + 1, []])
  } while ((await hashAt()) === dropped)
}

/**
 * Returns a function that resolves with the time at which the page entered a phase. The page itself reports
 * each phase as it begins.
 */
export async function notePhases(page: Page): Promise<(phase: string) => Promise<number>> {
  const seen = new Map<string, number>()
  await page.exposeFunction('notePhase', (phase: string) => {
    if (!seen.has(phase)) seen.set(phase, performance.now())
  })
  await page.addInitScript(`
    const note = () => {
      const phase = document.querySelector('[data-phase]')?.getAttribute('data-phase')
      if (phase) notePhase(phase)
    }
    document.addEventListener('DOMContentLoaded', () => {
      note()
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
    })`)
  return (phase) => vi.waitUntil(() => seen.get(phase), { interval: 5, timeout: 20_000 })
}

/**
 * Adds a wallet to the browser that announces itself (EIP-6963) and pays from an unlocked account of the
 * development chain.
 */
export async function addWallet(
  page: Page,
  { nodeUrl }: RunningCoffer,
): Promise<{ readonly name: string; sent(): Promise<string> }> {
  let hash: string | undefined
  await page.exposeFunction('askNode', async (method: string, params: unknown[]) => {
    if (method === 'eth_requestAccounts') {
      return ((await callNode(nodeUrl, 'eth_accounts', [])) as string[]).slice(1, 2)
    }
    const answer = await callNode(nodeUrl, method, params)
    if (method === 'eth_sendTransaction') hash = String(answer)
    return answer
  })
  await page.addInitScript(`
    const detail = {
      info: { uuid: 'a', name: '${walletName}', icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><rect width="100%25" height="100%25" fill="%23d9730d"/></svg>' },
      provider: { request: ({ method, params = [] }) => askNode(method, params) },
    }
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))`)
  return { name: walletName, sent: () => vi.waitUntil(() => hash, { interval: 5, timeout: 20_000 }) }
}
