#!/usr/bin/env node
// Plain JavaScript, because it runs before anything is compiled. Coffer runs in this same process, so a
// signal to it reaches Coffer.
import { ensureBuilt, ensurePagesBuilt } from './build.js'

await ensureBuilt()
const [, , name, verb] = process.argv
// Commands that serve nothing need no pages.
if (name === 'start' || name === 'demo') await ensurePagesBuilt()
// Keys are opened by a program of its own, which loads nothing of the service.
if (name === 'signer' || (name === 'keys' && verb !== 'rotate-encryption'))
  await import('../dist/bin/signer.js')
else await import('../dist/bin/coffer.js')
