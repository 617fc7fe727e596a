interface TipProps {
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: unknown }[]
}

interface Pointed {
  readonly name: string
  readonly details: readonly string[]
}

/** The tooltip of the bar or segment under the pointer. It shows the amounts as the API sent them. */
export function ChartTip({ active, payload }: TipProps) {
  const pointed = payload?.[0]?.payload
  if (active !== true || !isPointed(pointed)) return null
  return (
    <div className="rounded-lg border border-line bg-raised px-3 py-2 shadow-pop">
      <p className="font-medium">{pointed.name}</p>
      {pointed.details.map((line) => (
        <p key={line} className="figures text-ink-soft">
          {line}
        </p>
      ))}
    </div>
  )
}

function isPointed(value: unknown): value is Pointed {
  return typeof value === 'object' && value !== null && 'name' in value && 'details' in value
}
