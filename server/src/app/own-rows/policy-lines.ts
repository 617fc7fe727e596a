/** The lines that the signer's policy needs. The signer trusts no row of the database. */

const weiPerCoin = 10n ** 18n

const intro = [
  'The signer pays out on it only once its policy has these lines. Set the amounts that you accept, in the smallest unit,',
  'and reload the signer with SIGHUP (docs/signer.md). A sandbox needs nothing.',
]

export function networkPolicyLines(draft: Readonly<Record<string, unknown>>): readonly string[] {
  const { name, chainId, coin, feeModel } = draft as {
    readonly name: string
    readonly chainId: number
    readonly coin: { readonly symbol: string; readonly decimals: number }
    readonly feeModel: string
  }
  const limits = {
    chainId,
    coin: { symbol: coin.symbol, decimals: coin.decimals },
    ...(feeModel === 'legacy' && { feeModel }),
    feePerTransactionMinor: String(weiPerCoin / 100n),
    feesPer24HoursMinor: String(weiPerCoin / 2n),
    topUpsPer24HoursMinor: String(weiPerCoin / 100n),
    ...(feeModel === 'op-stack' && { dataFeePerByteMinor: '1000000000000' }),
  }
  const asset = { network: name, ...limits.coin, contract: null, ...amounts(coin.decimals) }
  return [
    ...intro,
    `  in "networks":  "${name}": ${JSON.stringify(limits)}`,
    `  in "assets":    ${JSON.stringify(asset)}`,
  ]
}

export function tokenPolicyLines(token: {
  readonly network: string
  readonly symbol: string
  readonly decimals: number
  readonly contract: string
}): readonly string[] {
  const { network, symbol, decimals, contract } = token
  const asset = { network, symbol, contract, decimals, ...amounts(decimals) }
  return [...intro, `  in "assets":    ${JSON.stringify(asset)}`]
}

function amounts(decimals: number) {
  const one = 10n ** BigInt(decimals)
  return {
    perTransactionMinor: String(one),
    per24HoursMinor: String(10n * one),
    totalMinor: String(100n * one),
  }
}
