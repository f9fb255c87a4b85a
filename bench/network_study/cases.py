"""The expressions of the study: 40 with their sizes, half of them held out.

They were chosen before any of them was run. The held-out half is for judging only: no constant is
tuned on it. Sources: expressions of opt_einsum's documentation, issues and tests, and draws of its
rand_equation() (seeds 0 to 5, those between 10 million and 10 billion operations whose tensors fit
into memory); residual terms of CCSD and CCSD(T); matrix product states and projected entangled pair
states; kernels of Tucker and CP decompositions; attention. Every second expression of each source is
held out.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A product of several tensors. Labels are strings: single letters if the text is in einsum's notation."""

    name: str
    group: str
    held_out: bool
    inputs: tuple  # the labels of each tensor's dimensions
    output: tuple
    extents: dict

    def shapes(self):
        return [tuple(self.extents[label] for label in labels) for labels in self.inputs]

    def notation(self):
        """The expression in tcplan's notation, in which the tensors are A1, A2, and so on."""
        tensors = "*".join(f"A{number}[{','.join(labels)}]" for number, labels in enumerate(self.inputs, 1))
        return f"R[{','.join(self.output)}]={tensors}"

    def sizes(self):
        return ",".join(f"{label}={extent}" for label, extent in self.extents.items())

    def symbols(self):
        """Returns (inputs, output, extents) with one character for each label, as the path finders of opt_einsum expect."""
        symbol = {label: chr(0x4E00 + number) for number, label in enumerate(self.extents)}
        inputs = ["".join(symbol[label] for label in labels) for labels in self.inputs]
        return inputs, "".join(symbol[label] for label in self.output), {symbol[label]: extent for label, extent in self.extents.items()}


# name, einsum, sizes
DOCUMENTED = (
    ("transformation", "pi,qj,ijkl,rk,sl->pqrs", "p=q=r=s=48,i=j=k=l=48"),  # the README
    ("hyper-indices", "xyf,xtf,ytpf,fr->tpr", "x=35,y=37,f=59,t=p=51,r=27"),  # docs/paths/greedy_path.md
    ("five-to-a-number", "bdik,acaj,ikab,ajac,ikbd->", "b=24,d=22,i=23,k=25,a=31,c=29,j=27"),  # docs/paths/introduction.md
    ("chain-of-five", "ij,jk,kl,lm,mn->ni", "i=900,j=500,k=600,l=400,m=700,n=80"),  # docs/getting_started/reusing_paths.md
    ("a-number-of-seven", "iP,sP,PQ,jQ,tQ,ti,sj->", "i=j=300,s=t=50,P=Q=2000"),  # issue 248
    ("scaled-batch", "bgk,bkd,bk->bgd", "b=16,g=8,k=4096,d=128"),  # issue 254
    ("eight-of-a-graph", "ab,ac,bc,ad,bd,ae,ce,de->", "a=b=c=d=e=130"),  # numpy issue 9775
    ("twins", "bdhe,hidj,jgba,hiab,gab->de", "a=20,b=24,d=28,e=26,g=25,h=24,i=27,j=22"),  # its tests
)

RANDOM = (
    ("random-6-2", "ikde,ikdf,chjg,g,falb,lhej->acb", "a=60,b=35,c=28,d=42,e=38,f=31,g=60,h=27,i=54,j=51,k=31,l=41"),
    ("random-6-5", "gcdb,ailj,dgfh,ehj,flik,ke->acb", "a=55,b=34,c=58,d=36,e=29,f=28,g=56,h=59,i=47,j=50,k=36,l=27"),
    ("random-8-1", "ckne,jindk,cf,ljge,hl,ham,mdg,fbi->ba", "a=15,b=21,c=22,d=18,e=19,f=21,g=15,h=25,i=10,j=26,k=11,l=22,m=17,n=23"),
    ("random-8-5", "f,lfhj,cin,kcemn,lgbej,di,amg,kdh->ab", "a=13,b=24,c=25,d=39,e=16,f=32,g=26,h=19,i=18,j=14,k=17,l=40,m=37,n=26"),
    ("random-10-2", "mqe,mke,prd,gih,id,al,khfl,fj,onpbqg,njcor->cba",
     "a=14,b=19,c=14,d=12,e=17,f=8,g=17,h=14,i=13,j=8,k=7,l=17,m=11,n=16,o=10,p=18,q=10,r=11"),
    ("random-12-1", "qfl,cg,oem,hndk,sjop,qg,dr,easti,r,kbhfml,inj,tcp->ba",
     "a=11,b=17,c=18,d=14,e=15,f=17,g=11,h=6,i=6,j=7,k=18,l=13,m=19,n=18,o=12,p=15,q=8,r=10,s=20,t=11"),
    ("random-16-3", "huoeyq,jdnow,etr,tl,rbv,xh,k,fudgi,fqmgl,yj,xz,cmzi,wvkap,pn,s,sc->ab",
     "a=12,b=7,c=12,d=12,e=4,f=9,g=7,h=9,i=11,j=10,k=4,l=8,m=11,n=12,o=5,p=10,q=6,r=6,s=5,t=7,u=9,v=12,w=5,x=12,y=11,z=12"),
    ("random-30-5",
     "BpHvdIk,BTQq,DtKy,Dn,Rsc,vh,O,lRu,smKGSk,zOGe,myx,gEx,LP,Iig,dzC,TPwq,L,ESo,Np,UFc,jN,l,nAhUC,MjrQ,eH,ifaJ,bo,tuJfA,Fwr,M->ba",
     "a=5,b=8,c=7,d=8,e=8,f=2,g=3,h=2,i=6,j=8,k=5,l=2,m=8,n=2,o=6,p=3,q=7,r=2,s=5,t=6,u=7,v=5,w=3,x=8,y=6,z=8,A=7,B=4,C=8,D=3,E=3,F=4,G=3,H=3,I=8,J=3,K=4,L=2,"
     "M=8,N=7,O=4,P=2,Q=2,R=6,S=8,T=6,U=3"),
)

# i, j, m, n are occupied, a, b, e, f virtual, Q an auxiliary index.
CCSD = (
    ("ccsd-singles-4", "mnef,ei,fj,am,bn->abij", "m=n=i=j=24,e=f=a=b=72"),
    ("ccsd-ladders", "mnef,efij,abmn->abij", "m=n=i=j=20,e=f=a=b=64"),
    ("ccsd-rings", "mnef,aeim,fbnj->abij", "m=n=i=j=18,e=f=a=b=54"),
    ("ccsd-fock", "mnef,ei,fm,abnj->abij", "m=n=i=j=24,e=f=a=b=72"),
    ("ccsd-three-virtual", "bmef,ei,fj,am->abij", "m=i=j=20,e=f=a=b=72"),
    ("ccsd-singles", "mnef,ei,afmn->ai", "m=n=i=22,e=f=a=80"),
    ("ccsd-fitted", "Qme,Qnf,efij,abmn->abij", "Q=180,m=n=i=j=16,e=f=a=b=48"),
    ("ccsd-dressed", "Qae,Qbf,ei,fj->abij", "Q=240,i=j=20,e=f=a=b=80"),
)

TRIPLES = (
    ("triples-energy", "abcijk,aeij,ebck->", "i=j=k=8,a=b=c=26,e=26"),
    ("triples-singles", "abcijk,jkbc,ai->", "i=j=k=9,a=b=c=28"),
    ("triples-fitted", "Qae,ebij,Qck->abcijk", "Q=100,i=j=k=7,a=b=c=24,e=24"),
)


def _mps_overlap():
    """Returns the overlap of two matrix product states of 60 sites; opt_einsum's docs/examples/large_expr_with_greedy.md has 100."""
    sites, inputs, extents = 60, [], {}
    for site in range(sites):
        extents[f"p{site}"] = 3
        for row in "uv":
            bonds = [f"{row}{bond}" for bond in (site - 1, site) if 0 <= bond < sites - 1]
            extents.update({bond: 56 for bond in bonds})
            inputs.append((f"p{site}", *bonds))
    return tuple(inputs), (), extents


def _mpo_expectation():
    """Returns a matrix product operator between two states, of 10 sites."""
    sites, inputs, extents = 10, [], {}
    for site in range(sites):
        extents.update({f"p{site}": 4, f"q{site}": 4})
        for row, physical, bond in (("u", ("p",), 40), ("w", ("p", "q"), 6), ("v", ("q",), 40)):
            bonds = [f"{row}{place}" for place in (site - 1, site) if 0 <= place < sites - 1]
            extents.update({name: bond for name in bonds})
            inputs.append((*bonds, *(f"{letter}{site}" for letter in physical)))
    return tuple(inputs), (), extents


def _peps(rows, columns, bond, physical):
    """Returns the norm of a projected entangled pair state with open ends, of two layers; without a physical index, of one layer."""
    inputs, extents = [], {}
    for layer in "xy" if physical else "x":
        for row in range(rows):
            for column in range(columns):
                labels = []
                for name, there in ((f"{layer}h{row}{column}", column < columns - 1), (f"{layer}h{row}{column - 1}", column > 0),
                                    (f"{layer}v{row}{column}", row < rows - 1), (f"{layer}v{row - 1}{column}", row > 0)):
                    labels += [name] if there else []
                extents.update({label: bond for label in labels})
                if physical:
                    labels.append(f"p{row}{column}")
                    extents[labels[-1]] = physical
                inputs.append(tuple(labels))
    return tuple(inputs), (), extents


NETWORKS = (
    ("mps-overlap-60", _mps_overlap()),
    ("dmrg-two-sites", "lwa,wpqx,xrsy,iyb,aqsb->lpri", "l=a=i=b=160,w=x=y=5,p=q=r=s=2"),
    ("mpo-expectation-10", _mpo_expectation()),
    ("peps-5x5-norm", _peps(5, 5, 3, 2)),
    ("peps-6x6-layer", _peps(6, 6, 6, 0)),
    ("corner-transfer", "ab,acde,bfgh,cgijkl,dhmnkl->eifjmn", "a=b=48,c=g=d=h=4,e=f=48,i=m=4,j=n=4,k=2,l=2"),
)

DECOMPOSITIONS = (
    ("cp-mttkrp", "ijkl,jr,kr,lr->ir", "i=72,j=64,k=60,l=56,r=24"),
    ("cp-fit", "ijk,ir,jr,kr,r->", "i=220,j=200,k=180,r=40"),
    ("tucker-core", "ijkl,ia,jb,kc,ld->abcd", "i=j=k=l=64,a=12,b=10,c=16,d=8"),
    ("tucker-back", "abcd,ia,jb,kc,ld->ijkl", "a=b=c=d=14,i=60,j=56,k=52,l=48"),
)

ATTENTION = (
    ("attention-scores", "btx,hxd,bsy,hyd->bhts", "b=4,t=s=256,x=y=256,h=4,d=64"),
    ("attention-linear", "bhtd,bhsd,bhsv->bhtv", "b=4,h=8,t=s=512,d=v=64"),
    ("attention-output", "bhts,bsx,hxd,hdo->bto", "b=4,h=8,t=s=192,x=256,d=32,o=256"),
)


def _extents(text):
    """Returns the extents of a text such as `a=b=3,i=8`."""
    extents = {}
    for part in text.split(","):
        *labels, extent = part.split("=")
        extents.update({label: int(extent) for label in labels})
    return extents


def _case(group, number, name, expression, sizes=None):
    if sizes is None:
        inputs, output, extents = expression
    else:
        left, _, right = expression.partition("->")
        inputs, output, extents = tuple(tuple(term) for term in left.split(",")), tuple(right), _extents(sizes)
    return Case(name, group, number % 2 == 1, inputs, output, extents)


GROUPS = {
    "documented": DOCUMENTED,
    "random": RANDOM,
    "CCSD": CCSD,
    "CCSD(T)": TRIPLES,
    "tensor networks": NETWORKS,
    "Tucker and CP": DECOMPOSITIONS,
    "attention": ATTENTION,
}


def all_cases():
    """Returns the cases, group by group. Every second case is held out, counted through all groups."""
    lines = [(group, line) for group, lines in GROUPS.items() for line in lines]
    return [_case(group, number, *line) for number, (group, line) in enumerate(lines)]
