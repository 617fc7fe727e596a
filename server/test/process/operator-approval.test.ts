/**
 * Tests a whole Coffer with an approval threshold, and an operator's decisions while the payouts role runs.
 */
import { beforeAll, expect, it, vi } from 'vitest'
import { required } from '../../src/core/assert.ts'
import { callNode } from '../../src/sandbox/node-call.ts'
import {
  call,
  logIn,
  type MerchantClient,
  openMerchant,
  payFrom,
  printedLogin,
} from '../support/coffer-client.ts'
import {
  ownSettings,
  type RunningCoffer,
  runCoffer,
  startCoffer,
  useDataDirs,
} from '../support/coffer-process.ts'

const dataDirs = useDataDirs()
const patience = { timeout: 40_000, interval: 100 }
let coffer: RunningCoffer
let merchant: MerchantClient

beforeAll(async () => {
  coffer = await startCoffer(await ownSettings(await dataDirs.fresh(), { APPROVAL_ABOVE_USD: '100' }))
  merchant = await openMerchant(coffer.url, printedLogin(coffer))
  const invoiceId = await merchant.createInvoice({ amount: '5000' })
  await payFrom(coffer.nodeUrl, 2, await merchant.addressOf(invoiceId))
  await vi.waitFor(async () => {
    const { body } = await merchant.call('GET', `/merchants/${merchant.merchantId}/funds`)
    if (required(body[2], 'ETH').balance === '0') throw new Error('nothing is credited yet')
  }, patience)
  return async () => {
    await coffer.stop()
  }
})

async function order(amount: string, address: string): Promise<string> {
  const path = `/merchants/${merchant.merchantId}/withdrawals`
  const { status, body } = await merchant.call('POST', path, { address, amount, paymentMethodID: 3 })
  expect(status).toBe(201)
  return body.id
}

const read = async (id: string) =>
  (await merchant.call('GET', `/merchants/${merchant.merchantId}/withdrawals/${id}`)).body

const becomes = (id: string, expected: object) =>
  expect.poll(() => read(id), patience).toMatchObject(expected)

const heldBy = async (address: string) =>
  BigInt(String(await callNode(coffer.nodeUrl, 'eth_getBalance', [address, 'latest'])))

const eth = 10n ** 18n

it('a withdrawal below the threshold is paid without an operator, and one above it waits', async () => {
  const small = `0x${'a1'.repeat(20)}`
  const large = `0x${'a2'.repeat(20)}`
  const waiting = await order('0.05', large)
  const paid = await order('0.03', small)
  await becomes(paid, { state: 'completed' })
  expect(await heldBy(small)).toBe((297n * eth) / 10_000n)
  await becomes(waiting, { state: 'pending', stage: 'queued', waitsFor: 'operator' })
  const { code, stdout } = await runCoffer(['withdrawals', 'list'], coffer.settings)
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^${waiting} .* 0\\.05 ETH .*queued, waits for operator\n$`))
})

it('E24 a withdrawal that several operators approve at once, by command and API, is paid once', async () => {
  const address = `0x${'b1'.repeat(20)}`
  const id = await order('0.1', address)
  await becomes(id, { waitsFor: 'operator' })
  const token = await logIn(coffer.url, printedLogin(coffer))
  const approve = () =>
    call(
      `${coffer.url}/operator/approvals/${id}/approve`,
      'POST',
      { authorization: `Bearer ${token}` },
      { reason: 'known' },
    )
  const [command, ...answers] = await Promise.all([
    runCoffer(['withdrawals', 'approve', id, '--reason', 'known'], coffer.settings),
    ...Array.from({ length: 5 }, approve),
  ])
  expect([command.code, command.stderr]).toEqual([0, ''])
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
  await becomes(id, { state: 'completed' })
  expect(await heldBy(address)).toBe((99n * eth) / 1_000n)
  const { code, stdout } = await runCoffer(['verify'], coffer.settings)
  expect(code, stdout).toBe(0)
})

it('a withdrawal that is rejected by command fails with the reason, and its money is returned', async () => {
  const id = await order('0.2', `0x${'c1'.repeat(20)}`)
  const refuse = () => runCoffer(['withdrawals', 'reject', id, '--reason', 'not theirs'], coffer.settings)
  expect(await refuse()).toMatchObject({ code: 0, stdout: expect.stringContaining(' failed\n') })
  expect((await refuse()).code).toBe(0)
  await becomes(id, { state: 'failed', reason: 'operator', explanation: 'not theirs' })
  const { code, stderr } = await runCoffer(['withdrawals', 'approve', id], coffer.settings)
  expect([code, stderr]).toEqual([1, 'coffer withdrawals: The withdrawal is failed and needs no decision.\n'])
})
