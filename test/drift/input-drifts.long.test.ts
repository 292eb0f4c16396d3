import { testEdits } from './edits.js'
import { inputDrifts } from './input-drifts.js'

testEdits(inputDrifts)
