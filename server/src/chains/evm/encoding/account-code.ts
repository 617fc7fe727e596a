/** Tells what the code of an account means. Code is in hex with the prefix 0x, in lower case. */

/** EIP-7702: the prefix of the code of an account that is delegated to a contract. */
export const delegationPrefix = '0xef0100'

const delegatedChars = delegationPrefix.length + 40

/** Returns the contract to which an account with this code is delegated. Undefined if it is not delegated. */
export function delegateIn(code: string): string | undefined {
  const isDelegated = code.length === delegatedChars && code.startsWith(delegationPrefix)
  return isDelegated ? `0x${code.slice(delegationPrefix.length)}` : undefined
}

/**
 * Decides whether an account with this code is a contract. A delegated account is not one, because its key
 * controls it on every network.
 */
export function isContractCode(code: string): boolean {
  return code !== '0x' && delegateIn(code) === undefined
}
