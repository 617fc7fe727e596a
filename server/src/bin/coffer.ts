import { runCli } from '../app/cli.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  print: (line) => console.log(line),
  note: (line) => console.error(line),
})
