/**
 * Plays the demo from end to end: sets up a merchant, lets a customer pay, receives the events and the money,
 * and withdraws the money.
 */
import { randomBytes } from 'node:crypto'
import { bePaid } from './be-paid.ts'
import { bePaidInLitecoin, bePaidOnBase } from './be-paid-elsewhere.ts'
import { openClient } from './client.ts'
import { openShop, removeWebhook } from './open-shop.ts'
import { payOut } from './pay-out.ts'
import { openReceiver } from './receiver.ts'
import type { DemoParts, Session } from './session.ts'
import { openWallet } from './wallet.ts'

/** Plays the demo. @throws StepFailed if a step fails; the reason is then already printed */
export async function playDemo(parts: DemoParts): Promise<void> {
  const { url, nodeUrl, serviceName, signal } = parts
  const secret = randomBytes(24).toString('hex')
  const signatureHeader = `x-${serviceName.toLowerCase()}-signature`
  const receiver = await openReceiver({ secret, signatureHeader, signal })
  try {
    const wallet = await openWallet(nodeUrl, signal)
    await play(parts, { client: openClient(url, signal), wallet, receiver, secret })
  } finally {
    await receiver.close()
  }
}

async function play(parts: DemoParts, session: Session): Promise<void> {
  const shop = await openShop(parts, session)
  try {
    const contract = await bePaid(parts, session, shop)
    await payOut(parts, session, shop, contract)
    await bePaidOnBase(parts, session, shop)
    await bePaidInLitecoin(parts, session, shop)
    await proveBooks(parts)
  } finally {
    await removeWebhook(parts.url, shop)
  }
}

function proveBooks({ narrator, verifyBooks }: DemoParts): Promise<void> {
  return narrator.step('Verify the books', async () => {
    const { ok, examined } = await verifyBooks()
    if (!ok) throw new Error('the books violate an invariant: run "coffer verify" to see which')
    const lines = [`all ${examined} invariants hold, in the database and against the chain itself`]
    return { lines, value: undefined }
  })
}
