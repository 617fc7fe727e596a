import { type Bitmap2D, correction, generate } from 'lean-qr'
import { type Html, html } from './html.ts'

/** ISO/IEC 18004 asks for four light modules around a code. */
const quietModules = 4

/** A QR code as a picture that needs no script, dark on light whatever the page's colours: many readers need that. */
export function qrCode(text: string, label: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.Q })
  const size = code.size + 2 * quietModules
  const box = `${-quietModules} ${-quietModules} ${size} ${size}`
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${box}" shape-rendering="crispEdges"><rect x="${-quietModules}" y="${-quietModules}" width="${size}" height="${size}" fill="#fff"/><path d="${strokes(code)}" stroke="#000"/></svg>`
}

/** A stroke for each run of dark modules: a third of what outlines would take. */
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
