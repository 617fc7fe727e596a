/** Database and signer's log are restored from a snapshot while coins of ours were spent on litecoind: nobody is paid twice by itself. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { readShownHalts } from '../../src/payouts/standing-halts.ts'
import { useCoinFlow } from '../support/coin-flow.ts'
import { resumeHalts } from '../support/lifts.ts'
import { hasLitecoind } from '../support/litecoind.ts'
import { restoreDatabase, restoreSigner, snapshotDatabase, snapshotSigner } from '../support/snapshot.ts'

const ltc = 10n ** 8n

describe.skipIf(!hasLitecoind)('where database and log went back, on litecoind', () => {
  const flow = useCoinFlow(20)
  const { database } = flow

  it('what waits in the mempool, or is in a block that is not read yet, halts payouts before its order is paid again', async () => {
    const merchantId = await flow.openFunded(3n * ltc, 3n * ltc)
    const order = await flow.order(merchantId, '1')
    const [rows, files] = [await snapshotDatabase(database), await snapshotSigner(flow.signer)]
    const first = await flow.machine()
    await first.settle()
    expect((await flow.withdrawal(order.id)).stage).toBe('broadcast')
    await flow.endLeases()
    await restoreDatabase(database, rows)
    const signer = await restoreSigner(flow.signer, files)
    onTestFinished(() => signer.signer.close())

    const halted = async () => {
      const restored = await flow.machine({ signer: signer.signer })
      await restored.settle()
      await flow.endLeases()
      const [halt] = await readShownHalts(database.db)
      expect(halt).toMatchObject({ cause: 'chain-ahead', detail: expect.stringContaining('spends the coin') })
      expect((await flow.withdrawal(order.id)).stage).toBe('queued')
    }
    await halted()
    await resumeHalts(database.db, signer.keys, 'chain-ahead')
    // It is mined now, and our own blocks end before.
    await flow.node.mine()
    await halted()
    expect(await flow.received(order.address)).toBeGreaterThan(0n)
    expect((await signer.signer.attest()).logEntries).toBe(0)
  })
})
