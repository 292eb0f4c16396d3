import type { SessionTexts } from '../en/sessions.js'

export const sessions: SessionTexts = {
  sessions: {
    heading: 'Vos appareils connectés',
    sentence: 'Si vous ne reconnaissez pas un appareil, déconnectez-le et changez votre mot de passe.',
    current: 'Cet appareil',
    onSystem: (browser, system) => `${browser} sur ${system}`,
    unknownDevice: 'Appareil inconnu',
    lastUsed: (when) => `Dernière utilisation\u00a0: ${when}`,
    signedIn: (when) => `Connexion\u00a0: ${when}`,
    signedInTo: (application, when) => `Connexion à ${application}\u00a0: ${when}`,
    end: 'Déconnecter',
    endOthers: 'Déconnecter tous les autres appareils',
    signOut: 'Se déconnecter de cet appareil',
    onlyOne: 'Vous n’êtes connecté sur aucun autre appareil.',
  },
  signOut: {
    heading: 'Se déconnecter\u00a0?',
    sentence: (organization) => `Vous serez déconnecté de ${organization} dans ce navigateur.`,
    button: 'Se déconnecter',
    forgetHeading: 'Oublier cette adresse\u00a0?',
    forgetSentence:
      'Vous êtes déconnecté, mais encore reconnu sur cet appareil\u00a0: vous pourriez vous reconnecter sans e-mail. Si d’autres personnes utilisent l’appareil, oubliez cette adresse.',
    forget: 'Oublier',
    doneHeading: 'Vous êtes déconnecté',
    done: 'Vous pouvez fermer cette page.',
  },
}
