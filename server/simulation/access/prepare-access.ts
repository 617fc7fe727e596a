/** Prepares the access of merchants, before the moves. */
import { caller, callerId } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import { callGenerateKey } from './call-access.ts'

/** Stores the account that owns all merchants. Its session does not end during a run. */
export async function storeOwner({ sessions, now }: Installation, merchantIds: readonly string[]) {
  const password = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA'
  await sessions.look(
    `insert into account (id, email, password_hash, created_at) values ($1, 'owner@shop.example', $2, $3)`,
    [callerId, password, now],
  )
  await sessions.look(
    `insert into session (id, account_id, type, created_at, expires_at)
     values ($1, $2, 'login', $3, $3::timestamptz + interval '90 days')`,
    [caller.sessionId, callerId, now],
  )
  for (const id of merchantIds) await storeMember({ sessions, now }, id)
}

/** Makes the owner's account a member of a merchant. */
export async function storeMember(
  { sessions, now }: Pick<Installation, 'sessions' | 'now'>,
  merchantId: string,
): Promise<void> {
  await sessions.look(
    `insert into member (account_id, merchant_id, role, created_at) values ($1, $2, 'owner', $3)`,
    [callerId, merchantId, now],
  )
}

/** Generates the first API key of each merchant. */
export async function generateFirstKeys(world: Installation): Promise<void> {
  const { access, model } = world
  if (access === undefined) return
  for (const merchantId of model.merchants) await callGenerateKey(world, access, merchantId)
}
