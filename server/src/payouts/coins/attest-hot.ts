import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'
import { assertLease } from '../../db/lease.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readLogMark } from '../attempt-store.ts'
import type { HaltCause } from '../halt-store.ts'
import { haltUnderLease } from '../machine.ts'
import type { Session } from '../session.ts'
import { saveAttestedXpub } from '../wallet-store.ts'
import { type CoinParts, hotAddress } from './coin-parts.ts'
import { insertHotPlaces, isOwnAddress, readHotAddress } from './coin-store.ts'
import { noChange } from './shape.ts'

/**
 * Has the signer show its keys and its log. Where they are not the ones that we know, payouts are halted.
 * @returns whether they are
 * @throws SignerAwayError
 */
export async function attestHot(parts: CoinParts, session: Session): Promise<boolean> {
  const { db, signer, network, xpub } = parts
  const { accounts, logEntries } = await signer.attest()
  const account = accounts.find(({ family }) => family === network.name)
  const halt = async (cause: HaltCause, detail: string) => {
    await haltUnderLease(parts, session, cause, detail)
    return false
  }
  if (account?.xpub !== xpub) {
    const detail = `the signer has another account of ${network.name}'s deposit addresses than the one configured`
    return halt('xpub-foreign', detail)
  }
  const address = hotAddress(parts, { hotXpub: account.hotXpub }, noChange)
  const stored = await readHotAddress(db, network.name)
  if (stored !== undefined && stored !== address)
    return halt('xpub-foreign', `the signer has another hot wallet of ${network.name} than before`)
  if (parts.coldAddress !== undefined && (await isOwnAddress(db, network.name, parts.coldAddress))) {
    const detail = `the cold address ${parts.coldAddress} is one of our own: set another, here and at the signer`
    return halt('cold-address', detail)
  }
  const mark = await readLogMark(db)
  if (logEntries < mark) {
    const detail = `the signer's log has ${logEntries} entries, of which we know ${mark}: put its log back`
    return halt('log-unknown', detail)
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, session.lease)
    await saveAttestedXpub(tx, network.name, xpubFingerprint(xpub))
    await insertHotPlaces(tx, network.name, [{ place: noChange, address }])
  })
  session.hotXpub = account.hotXpub
  session.isAttested = true
  return true
}
