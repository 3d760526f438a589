#!/usr/bin/env node
// Runs the program of this platform, which a package of its own carries, with the same words, streams, signals and exit code.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@a2a-acp/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/a2a-acp`);
} catch {
  console.error(`a2a-acp: the package ${name} is not installed; npm leaves it out with --omit=optional, and there is none for other platforms`);
  process.exit(5);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGHUP", "SIGINT", "SIGTERM", "SIGQUIT"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`a2a-acp: ${program}: ${error.message}`);
  process.exit(5);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
