import { relative, sep } from 'node:path'
import { beforeEach, type RunnerTestCase } from 'vitest'
import { registerFileEnd } from '../../file-end.js'
import { root } from '../sdk/packed.js'
import { exceptions } from './exceptions.js'
import { registerFile } from './excluded.js'

registerFileEnd()
registerFile()
beforeEach(({ task }) => expectFailureOf(task))

/** Inverts the outcome of an exception, so that it fails if the test passes. */
function expectFailureOf(task: RunnerTestCase): void {
  const path = relative(root, task.file.filepath).split(sep).join('/')
  if (exceptions.some(({ file, title }) => file === path && title === task.fullTestName)) task.fails = true
}
