import { xpubFingerprint } from '../../core/xpub-fingerprint.ts'
import { assertLease } from '../../db/lease.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Attestation } from '../../intents/signer-port.ts'
import { readLogMark } from '../attempt-store.ts'
import type { HaltCause } from '../halt-store.ts'
import { haltUnderLease } from '../machine.ts'
import type { Session } from '../session.ts'
import { insertLanes, isDerived, readLanes, saveAttestedXpub } from '../wallet-store.ts'
import type { AccountParts } from './account-parts.ts'

/**
 * Has the signer show its keys and its log. Where they are not the ones that we know, payouts are halted.
 * @returns whether they are
 * @throws SignerAwayError
 */
export async function attestLanes(parts: AccountParts, session: Session): Promise<boolean> {
  const { db, signer, network } = parts
  const attested = await signer.attest()
  await inTransaction(db, async (tx) => {
    await assertLease(tx, session.lease)
    const { family, depositXpub: xpub, accounts } = attested
    for (const account of [{ family, xpub }, ...accounts])
      await saveAttestedXpub(tx, account.family, xpubFingerprint(account.xpub))
  })
  const fault = await findFault(parts, attested)
  if (fault !== undefined) {
    await haltUnderLease(parts, session, fault.cause, fault.detail)
    return false
  }
  await inTransaction(db, async (tx) => {
    await assertLease(tx, session.lease)
    await insertLanes(tx, network.name, attested.lanes)
  })
  session.lanes = attested.lanes
  session.isAttested = true
  return true
}

async function findFault(
  parts: AccountParts,
  { depositXpub, lanes, logEntries }: Attestation,
): Promise<{ readonly cause: HaltCause; readonly detail: string } | undefined> {
  const { db, network, xpub, coldAddress } = parts
  if (depositXpub !== xpub) {
    return {
      cause: 'xpub-foreign',
      detail: 'the signer has another account of deposit addresses than the one configured',
    }
  }
  if (coldAddress !== undefined && (await isOwn(parts, lanes, coldAddress))) {
    const detail = `the cold address ${coldAddress} is one of our own: set another, here and at the signer`
    return { cause: 'cold-address', detail }
  }
  const stored = await readLanes(db, network.name)
  const moved = stored.findIndex((address, lane) => lanes[lane] !== address)
  if (moved !== -1) {
    return { cause: 'xpub-foreign', detail: `the signer has another address for lane ${moved} than before` }
  }
  const mark = await readLogMark(db)
  if (logEntries >= mark) return undefined
  const detail = `the signer's log has ${logEntries} entries, of which we know ${mark}: put its log back`
  return { cause: 'log-unknown', detail }
}

async function isOwn(
  { db, codec, network }: AccountParts,
  lanes: readonly string[],
  address: string,
): Promise<boolean> {
  return [...lanes, codec.delegateOf(lanes)].includes(address) || isDerived(db, network.family, address)
}
