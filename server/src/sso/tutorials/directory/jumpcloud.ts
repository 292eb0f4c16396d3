import { copy, path, settings, text, warn, words, yours } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const jumpcloudDirectory: DirectoryTutorial = {
  id: 'jumpcloud',
  name: 'JumpCloud',
  mark: 'JC',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'connect',
      title: words('Connect JumpCloud to us', 'Relier JumpCloud à nous'),
      blocks: [
        text(
          'Open the custom application that your users sign in with, or create one with **Add New Application**, **Custom Application**, **Export users to this app (Identity Management)**. Then go to:',
          'Ouvrez l’application personnalisée avec laquelle vos utilisateurs se connectent ici, ou créez-en une avec **Add New Application**, **Custom Application**, **Export users to this app (Identity Management)**. Allez ensuite à\u00a0:',
        ),
        path('SSO Applications', yours.app, 'Identity Management', 'Configure'),
        settings(['API Type', 'SCIM API'], ['SCIM Version', 'SCIM 2.0']),
        copy('Base URL', 'scim_base_url'),
        text(
          'Enter the secret from this page as **Token Key**, and an address of your domain as **Test User Email**.',
          'Saisissez le secret de cette page comme **Token Key**, et une adresse de votre domaine comme **Test User Email**.',
        ),
      ],
    },
    {
      id: 'activate',
      title: words('Test and activate', 'Tester et activer'),
      blocks: [
        text(
          'Click **Test Connection**, then **Activate**, then **Save**. The test creates a test user and a test group, changes them, and deletes them again.',
          'Cliquez sur **Test Connection**, puis **Activate**, puis **Save**. Le test crée un utilisateur et un groupe de test, les modifie et les supprime.',
        ),
        warn(
          'The address of the test user must not be that of a real user here, or it is refused as already taken.',
          'L’adresse de l’utilisateur de test ne doit pas être celle d’un vrai utilisateur ici\u00a0: elle serait refusée comme déjà prise.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Choose groups of users', 'Choisir des groupes d’utilisateurs'),
      blocks: [
        text(
          'Tick **Enable management of User Groups and Group Membership in this application** if the application should know your groups, and choose the groups whose members should be here:',
          'Cochez **Enable management of User Groups and Group Membership in this application** si l’application doit connaître vos groupes, et choisissez les groupes dont les membres doivent être présents ici\u00a0:',
        ),
        path('SSO Applications', yours.app, 'User Groups'),
      ],
    },
  ],
  quirks: [],
}
