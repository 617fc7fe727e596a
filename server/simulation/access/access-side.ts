/**
 * What merchants know about their access: whether they are deleted, their API keys and their IP lists. They know it
 * only from the answers to their requests.
 */
import { Dice } from '../dice.ts'
import { type Credential, clientAddresses, emptyIpList, type IpList } from './credential.ts'
import { Uncertain } from './uncertain.ts'

/** Stands for the key of a merchant that has none. */
export const noKey = 'no key'
/** Stands for a key that was generated and that nobody received, because the API was killed. */
export const unseenKey = 'a key that nobody received'

export class MerchantAccess {
  readonly isDeleted = new Uncertain(false)
  readonly key = new Uncertain<string>(noKey)
  readonly ipList = new Uncertain<IpList>(emptyIpList)
  /** All keys that the merchant ever received, oldest first. */
  readonly keys: string[] = []

  /** Number of changes that were requested. If two reads return the same number, no change began between them. */
  get begun(): number {
    return this.isDeleted.begun + this.key.begun + this.ipList.begun
  }

  /** Notes that the database went back to an earlier state. */
  forget(): void {
    this.isDeleted.forget()
    this.key.forget()
    this.ipList.forget()
  }
}

export class AccessSide {
  /** One sentence for each request that was wrongly admitted or rejected. */
  readonly wrong: string[] = []
  /** Whether all requests present the token of a member. */
  usesTokensOnly = false
  readonly #dice: Dice
  readonly #merchants = new Map<string, MerchantAccess>()

  constructor(seed: number) {
    this.#dice = new Dice(seed ^ 0xacce)
  }

  of(merchantId: string): MerchantAccess {
    const known = this.#merchants.get(merchantId) ?? new MerchantAccess()
    this.#merchants.set(merchantId, known)
    return known
  }

  /**
   * Chooses the credential of a request: mostly the newest key or a token, sometimes any of the merchant's keys or a
   * key of another merchant.
   */
  choose(merchantId: string): Credential {
    const dice = this.#dice
    const { keys } = this.of(merchantId)
    const all = [...this.#merchants.values()].flatMap((one) => one.keys)
    const from = dice.weighted({ token: 4, newest: 5, own: 2, any: 0.7 })
    const candidates = { token: [], newest: keys.slice(-1), own: keys, any: all }[from]
    if (this.usesTokensOnly || candidates.length === 0) return { type: 'token' }
    return { type: 'key', key: dice.pick(candidates), address: dice.pick(clientAddresses) }
  }

  /** Notes that the database went back to an earlier state. */
  forget(): void {
    for (const one of this.#merchants.values()) one.forget()
  }
}
