/**
 * Tests repeated power cuts under traffic: Coffer, PostgreSQL and the dev chain are killed at once at moments
 * that a seed decides. `npm run soak -- crash --seed N --rounds M` runs it for longer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { callNode } from '../../src/sandbox/node-call.ts'
import {
  isMined,
  type MerchantClient,
  merchantAt,
  openMerchant,
  payFrom,
  printedLogin,
} from '../support/coffer-client.ts'
import {
  killAll,
  ownSettings,
  type RunningCoffer,
  runCoffer,
  type Settings,
  spawnCoffer,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'
import { type Dice, diceOf } from '../support/dice.ts'

const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000)
const rounds = Number(process.env['SOAK_ROUNDS'] ?? 3)
const dataDirs = useDataDirs()

/** What was acknowledged to the merchant of one round, and what its customers sent. */
interface Round {
  readonly merchant: MerchantClient
  readonly invoiceIds: string[]
  readonly payments: { readonly invoiceId: string; readonly txHash: string }[]
}

it(`loses nothing in ${rounds} power cuts under traffic (seed ${seed}, SOAK_SEED=${seed} repeats it)`, {
  timeout: 60_000 + rounds * 30_000,
}, async () => {
  const dice = diceOf(seed)
  const dataDir = await dataDirs.fresh()
  const settings = await ownSettings(dataDir)
  await cutDuringStart(dice, dataDir, settings)
  let coffer = await startCoffer(settings)
  const played: Round[] = []
  let rollbacks = 0
  for (let round = 1; round <= rounds; round += 1) {
    played.push(await playUntilCut(dice, coffer, dataDir))
    if (dice.chance(0.25)) await cutDuringStart(dice, dataDir, settings)
    coffer = await startCoffer(settings)
    for (const before of played.slice(-2)) await expectNothingLost(coffer, before)
    await expectUsable(coffer)
    await expectRightBooks(settings)
    rollbacks += coffer.stderr.split('chain reorganised').length - 1
  }
  const lost: number[] = []
  for (const round of played) lost.push(await expectNothingLost(coffer, round))
  await expectRightBooks(settings)
  await coffer.stop()
  const invoices = sum(played.map(({ invoiceIds }) => invoiceIds.length))
  const payments = sum(played.map((round) => round.payments.length))
  const tail = `${payments} payments (${sum(lost)} lost with the chain's tail), ${rollbacks} rollbacks`
  console.log(`seed ${seed}: ${rounds} cuts, ${invoices} invoices, ${tail}`)
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Cuts the power while Coffer starts, so that incomplete folders, clusters and chains are tested as well. */
async function cutDuringStart(dice: Dice, dataDir: string, settings: Settings): Promise<void> {
  const starting = spawnCoffer(['start'], settings)
  await sleep(dice.between(500, 2_500))
  await killAll(starting, dataDir)
}

/** Lets three customers buy at once until the cut, each from a dev account of its own. */
async function playUntilCut(dice: Dice, coffer: RunningCoffer, dataDir: string): Promise<Round> {
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const round: Round = { merchant, invoiceIds: [], payments: [] }
  const cutAt = performance.now() + dice.between(300, 2_500)
  const customers = [2, 3, 4].map((account) => shop(diceOf(dice.between(0, 1e9)), coffer, round, account))
  await sleep(cutAt - performance.now())
  await killAll(coffer, dataDir)
  await Promise.all(customers)
  return round
}

/** Buys until a process no longer answers. Records only what was acknowledged. */
async function shop(dice: Dice, coffer: RunningCoffer, round: Round, account: number): Promise<void> {
  try {
    for (;;) {
      const invoiceId = await round.merchant.createInvoice({ amount: String(dice.between(1, 500)) })
      round.invoiceIds.push(invoiceId)
      const shown = await round.merchant.addressOf(invoiceId)
      if (dice.chance(0.8)) {
        round.payments.push({ invoiceId, txHash: await payFrom(coffer.nodeUrl, account, shown) })
      }
      await sleep(dice.between(0, 60))
    }
  } catch {
    // The power cut has killed what the customer talks to.
  }
}

/**
 * Checks that every acknowledged invoice exists. Also checks that each payment is credited exactly once if
 * the chain still holds it, and otherwise not at all.
 * @returns how many payments the chain lost
 */
async function expectNothingLost(coffer: RunningCoffer, round: Round): Promise<number> {
  const merchant = merchantAt(coffer.url, round.merchant)
  const onChain = new Set<string>()
  for (const { txHash } of round.payments) if (await isMined(coffer.nodeUrl, txHash)) onChain.add(txHash)
  const paid = round.payments.filter(({ txHash }) => onChain.has(txHash))
  const paidIds = new Set(paid.map(({ invoiceId }) => invoiceId))
  const patience = { timeout: 20_000, interval: 100 }
  await expect
    .poll(
      async () => {
        const confirmed = (await merchant.transactions()).filter(({ state }) => state === 'confirmed')
        return confirmed.map(({ txHash }) => txHash).sort()
      },
      { ...patience, message: 'credited transactions are those on the chain, each once' },
    )
    .toEqual([...onChain].sort())
  await expect
    .poll(
      async () => {
        const states = await merchant.states()
        const found = round.invoiceIds.map((id) => ({ id, state: states.get(id) }))
        return found.filter(({ id, state }) => state !== (paidIds.has(id) ? 'paid' : 'pending'))
      },
      { ...patience, message: 'invoices that are missing or in the wrong state' },
    )
    .toEqual([])
  return round.payments.length - onChain.size
}

async function expectRightBooks(settings: Settings): Promise<void> {
  const { code, stdout, stderr } = await runCoffer(['verify'], settings)
  expect(code, stdout + stderr).toBe(0)
}

async function expectUsable(coffer: RunningCoffer): Promise<void> {
  const merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const invoiceId = await merchant.createInvoice()
  await payFrom(coffer.nodeUrl, 2, await merchant.addressOf(invoiceId))
  await merchant.becomes(invoiceId, 'paid')
  expect(Number(await callNode(coffer.nodeUrl, 'eth_blockNumber', []))).toBeGreaterThan(0)
}
