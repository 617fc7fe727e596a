import { type Bitmap2D, correction, generate } from 'lean-qr'
import { type Html, html } from './html.ts'

/** The width of the light border around a code, in modules. ISO/IEC 18004 requires four. */
const quietModules = 4

/**
 * Renders a QR code as SVG, without a script. The code is dark on light even on a dark page, because many
 * readers cannot read light on dark.
 */
export function qrCode(text: string, label: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.Q })
  const size = code.size + 2 * quietModules
  const box = `${-quietModules} ${-quietModules} ${size} ${size}`
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${box}" shape-rendering="crispEdges"><rect x="${-quietModules}" y="${-quietModules}" width="${size}" height="${size}" fill="#fff"/><path d="${strokes(code)}" stroke="#000"/></svg>`
}

/** Returns an SVG path that strokes each run of dark modules. Outlines would be three times as long. */
function strokes(code: Bitmap2D): string {
  let path = ''
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      const from = x
      while (code.get(x, y)) x++
      if (x > from) path += `M${from} ${y}.5h${x - from}`
    }
  }
  return path
}
