import { testEdits } from './edits.js'
import { vocabularyDrifts } from './vocabulary-drifts.js'

testEdits(vocabularyDrifts)
