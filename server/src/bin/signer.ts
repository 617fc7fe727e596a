import { runSignerCli } from '../signer/command/run.ts'

process.exitCode = await runSignerCli(process.argv.slice(2), {
  input: process.stdin,
  isTerminal: process.stdout.isTTY === true,
  print: (line) => console.log(line),
  note: (line) => console.error(line),
})
