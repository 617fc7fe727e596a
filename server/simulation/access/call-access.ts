/** Requests that delete and restore merchants, and that change their keys and IP lists. */
import { generateApiKey, revokeApiKey } from '../../src/merchants/change-api-key.ts'
import { removeIpList, setIpList } from '../../src/merchants/change-ip-list.ts'
import { deleteMerchant } from '../../src/offboarding/delete-merchant.ts'
import { restoreMerchant } from '../../src/offboarding/restore-merchant.ts'
import { type Called, caller, callerId, request, requestOf } from '../world/call-api.ts'
import type { Installation } from '../world/installation.ts'
import { type AccessSide, noKey, unseenKey } from './access-side.ts'
import type { IpList } from './credential.ts'
import type { Change, Uncertain } from './uncertain.ts'

export function callGenerateKey(world: Installation, side: AccessSide, merchantId: string): Promise<Called> {
  const by = { merchantId, accepts: 'bearer' } as const
  return requestOf(world, by, 'generate an API key', async ({ db }, answered) => {
    const { key, keys } = side.of(merchantId)
    await changing(world, [key, unseenKey], async (change) => {
      const made = await generateApiKey(db, { accountId: callerId, merchantId })
      await answered()
      keys.push(made.key)
      key.end(change, made.key)
    })
  })
}

export function callRevokeKey(world: Installation, side: AccessSide, merchantId: string): Promise<Called> {
  const by = { merchantId, accepts: 'bearer' } as const
  return requestOf(world, by, 'revoke an API key', async ({ db }, answered) => {
    const { key } = side.of(merchantId)
    await changing(world, [key, noKey], async (change) => {
      await revokeApiKey(db, { accountId: callerId, merchantId })
      await answered()
      key.end(change)
    })
  })
}

export function callSetIpList(
  world: Installation,
  side: AccessSide,
  merchantId: string,
  list: IpList,
): Promise<Called> {
  const by = { merchantId, accepts: 'bearer' } as const
  return requestOf(world, by, 'set an IP list', async ({ db }, answered) => {
    const { ipList } = side.of(merchantId)
    const owner = { accountId: callerId, merchantId }
    await changing(world, [ipList, list], async (change) => {
      await (list.entries.length === 0 ? removeIpList(db, owner) : setIpList(db, owner, list.entries))
      await answered()
      ipList.end(change)
    })
  })
}

/** Deletes a merchant. Its key is deleted with it. */
export function callDelete(
  world: Installation,
  side: AccessSide,
  merchantId: string,
  ifEmpty: boolean,
): Promise<Called> {
  const by = { merchantId, accepts: 'any' } as const
  return requestOf(world, by, 'delete a merchant', async ({ db }, answered) => {
    const access = side.of(merchantId)
    await changing(world, [access.key, noKey], (keyChange) =>
      changing(world, [access.isDeleted, true], async (change) => {
        await deleteMerchant(db, { merchantId, caller, ifEmpty })
        await answered()
        access.key.end(keyChange)
        access.isDeleted.end(change)
      }),
    )
  })
}

/** Restores a merchant for an operator. Does nothing if the merchant is not deleted. */
export function callRestore(world: Installation, side: AccessSide, merchantId: string): Promise<Called> {
  return request(world, 'restore a merchant', async (parts, answered) => {
    const access = side.of(merchantId)
    const isCertain = access.isDeleted.mustBe((deleted) => deleted)
    await changing(world, [access.key, noKey], (keyChange) =>
      changing(world, [access.isDeleted, false], async (change) => {
        await restoreMerchant(parts, { merchantId, accountId: callerId })
        await answered()
        // The restoration of a merchant that was not deleted leaves its key as it is.
        if (isCertain && change.isAlone) access.key.end(keyChange)
        else access.key.abandon(keyChange)
        access.isDeleted.end(change)
      }),
    )
  })
}

/** Runs a request that changes a fact. After an error, the fact may have its former value or the new one. */
async function changing<Value>(
  world: Installation,
  [fact, value]: readonly [Uncertain<Value>, Value],
  run: (change: Change<Value>) => Promise<void>,
): Promise<void> {
  const change = fact.begin(value, world.process('api').life)
  try {
    await run(change)
  } catch (error) {
    fact.abandon(change)
    throw error
  }
}
