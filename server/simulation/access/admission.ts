/** Admits requests of merchants as the routes of the API do, and compares the decision with what merchants know. */
import { Problem } from '../../src/core/errors.ts'
import { type Admission, admit } from '../../src/platform/http/admit.ts'
import type { Authenticator } from '../../src/platform/http/auth.ts'
import { route } from '../../src/platform/http/route.ts'
import type { AccessSide, MerchantAccess } from './access-side.ts'
import type { Credential } from './credential.ts'

/** Which credentials a route accepts: any, or tokens alone. */
export type Accepts = 'any' | 'bearer'

const publicUrl = 'https://pay.example'

const common = {
  method: 'POST',
  path: '/merchants/:merchantID',
  summary: 'A request of a merchant',
  role: 'owner',
  replies: { 204: null },
  handle: async () => ({ status: 204 }) as const,
} as const

const routes = {
  any: route({ ...common, auth: 'any' }),
  bearer: route({ ...common, auth: 'bearer' }),
} as const

/** @throws Problem if the API rejects the request before it does anything */
export async function admitMerchant(
  side: AccessSide,
  authenticator: Authenticator,
  { merchantId, accepts }: { readonly merchantId: string; readonly accepts: Accepts },
): Promise<Admission> {
  const access = side.of(merchantId)
  const credential = side.choose(merchantId)
  const wanted = verdictOn(access, credential, accepts)
  const begunBefore = access.begun
  const compare = (verdict: 'admitted' | 'rejected', why: string) => {
    // A change that began meanwhile may have taken effect before the credential was looked up.
    if (access.begun !== begunBefore || wanted === undefined || wanted === verdict) return
    side.wrong.push(`a request with ${describe(access, credential)} was ${verdict}${why}`)
  }
  try {
    const admission = await admit({ publicUrl, authenticator }, routes[accepts], {
      headers:
        credential.type === 'token' ? { authorization: 'Bearer owner' } : { 'x-api-key': credential.key },
      segment: merchantId,
      address: credential.type === 'token' ? '192.0.2.1' : credential.address,
      setHeaders: () => {},
    })
    compare('admitted', '')
    return admission
  } catch (error) {
    if (error instanceof Problem) compare('rejected', `: ${error.code}`)
    throw error
  }
}

/** Returns what must happen to a request; undefined if both outcomes are possible. */
function verdictOn(
  { isDeleted, key, ipList }: MerchantAccess,
  credential: Credential,
  accepts: Accepts,
): 'admitted' | 'rejected' | undefined {
  const isGone = (deleted: boolean) => deleted
  const isThere = (deleted: boolean) => !deleted
  if (isDeleted.mustBe(isGone)) return 'rejected'
  if (credential.type === 'token') return isDeleted.mustBe(isThere) ? 'admitted' : undefined
  if (accepts === 'bearer') return 'rejected'
  const isUsed = (current: string) => current === credential.key
  const isAllowed = ({ admits }: { readonly admits: readonly string[] }) =>
    admits.includes(credential.address)
  if (!key.mayBe(isUsed) || !ipList.mayBe(isAllowed)) return 'rejected'
  const isCertain = isDeleted.mustBe(isThere) && key.mustBe(isUsed) && ipList.mustBe(isAllowed)
  return isCertain ? 'admitted' : undefined
}

function describe({ isDeleted, key }: MerchantAccess, credential: Credential): string {
  const of = isDeleted.mustBe((deleted) => deleted) ? ' of a deleted merchant' : ''
  if (credential.type === 'token') return `the token of a member${of}`
  const isCurrent = key.mayBe((current) => current === credential.key)
  return `${isCurrent ? 'the key' : 'a revoked or foreign key'}${of} from ${credential.address}`
}
