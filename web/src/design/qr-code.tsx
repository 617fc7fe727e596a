import { correction, generate } from 'lean-qr'

/** Draws a QR code as one SVG path. It is always dark on light, because cameras cannot read it otherwise. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text, { minCorrectionLevel: correction.M })
  const cells: string[] = []
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) cells.push(`M${x} ${y}h1v1h-1z`)
  const margin = 3
  const side = code.size + 2 * margin
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-margin} ${-margin} ${side} ${side}`}
      shapeRendering="crispEdges"
      className="w-full max-w-44 rounded-lg bg-white"
    >
      <path d={cells.join('')} fill="#000" />
    </svg>
  )
}
