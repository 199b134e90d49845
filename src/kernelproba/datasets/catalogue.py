"""The benchmark data sets: what each is, and the checksums that make it the one we mean.

Every entry pins the SHA-256 of its ``NAME.npz``.  Sets that can also be had from
OpenML pin an order-free digest of their rows (see `digest`), because OpenML serves
another file format and often another order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OpenMLCopy:
    """Where OpenML keeps a set, and how to recognise its rows.

    Attributes
    ----------
    data_id : int
        OpenML's number of this version of the set; OpenML never reuses one.
    n_train : int or None
        Official training rows, where there is an official split.
    digests : tuple of str
        Row digest of the training rows and, with a split, of the test rows.
    decimals : int
        Decimals of the original values; the rest is rounding and is not compared.
    first_label : int or None
        OpenML's label of the class that we call 0; None where the labels agree.
    """

    data_id: int
    n_train: int | None
    digests: tuple[str, ...]
    decimals: int = 0
    first_label: int | None = None


@dataclass(frozen=True)
class Entry:
    """One data set: a sentence about it, its file's checksum and its other sources."""

    description: str
    sha256: str
    openml: OpenMLCopy | None = None
    in_sklearn: bool = False
    dtype: str = "float64"
    why_not_public: str = "it has no public copy with the same rows"


_RAETSCH = "it has no public copy with the same rows and partitions"

CATALOGUE: dict[str, Entry] = {
    "brain": Entry(
        "Brain tumours (Pomeroy 2002): 42 × 5597 gene expressions, 5 classes",
        "888dad697a5756f3da1ad564ee850fbb91b6dd58f828bbca3cc3126722dffa13",
    ),
    "coil20": Entry(
        "COIL-20 objects: 1440 images of 32 × 32, 20 classes, 72 views each, 5° apart",
        "be0aea8f6b8352e2c7a332a88901e2d2092ff480991d740d553a1986dd97c2c8",
    ),
    "coil20_16x16": Entry(
        "COIL-20 objects averaged to 16 × 16: stands in for the MPI chairs, which are not public",
        "baaa082053f616519e31f651ac5787c7f11c90527d79f39cffaae5989dd17acf",
    ),
    "iris": Entry(
        "Iris (Fisher 1936): 150 × 4, 3 classes",
        "80ba137049643e018f43d014af410608e7fb1f69d8dc3abe64f92cffd6097ca0",
        in_sklearn=True,
    ),
    "isolet": Entry(
        "Isolet (UCI): 617 features of spoken letters, 26 classes; train speakers 1–120, test 121–150",
        "2f7bff8f61d4db2a352477f24a6ef1055e89400c600c29087758e70103c0f965",
        openml=OpenMLCopy(
            300,
            6238,
            (
                "bf172a845506c37b9a651274e9550b83de075352a0e4d5cf2765209fe59720cc",
                "a0482d21dafd92d9c97311430653270eff72f77de3626b5b9b25084ad9317111",
            ),
            decimals=4,
        ),
    ),
    "letter": Entry(
        "Letter recognition (UCI): 16 features of printed capitals, 26 classes, split 16000/4000",
        "701672826649f94a02ec98401d64bb1fcb1758344b7fcea8ce53c3d1a1c9b90b",
        openml=OpenMLCopy(
            6,
            16000,
            (
                "9a341a97f697c972f6cfae6b36a33d4baa8df469783aa85b57842914fd5dff1c",
                "c30c2cde6070dbc23cf309c33b58c85be02ed45721e4bd758fa65fcbebb61e64",
            ),
        ),
    ),
    "leukemia": Entry(
        "Leukemia (Golub 1999): 72 × 3571 gene expressions, 3 classes",
        "6d2fafd6fda6b532ec0320a93921ccae47d75b2cd2cb655026caaae6aa2cbef7",
    ),
    "lymphoma": Entry(
        "Lymphoma (Alizadeh 2000): 62 × 4026 gene expressions, 3 classes",
        "90bef3276a84a01d7086457f7745b77c4c3d8254bd25f6b53ff9c00bf22fe38f",
    ),
    "mnist": Entry(
        "MNIST digits: 28 × 28 pixels of 0–255, 10 classes, split 60000/10000",
        "bc76bc6d95bfadac4961122cdba511aeb17f4685941f9760d8b2e89361f991c2",
        openml=OpenMLCopy(
            554,
            60000,
            (
                "4565fe3ebe7356b0bd80c829a021c52c35d524e0b525e31a8b2f50cdd371d02d",
                "9afc2f35e01fadf677ea4947e1d61c9f5e1f980f0d49e2c47744be77a7d2264d",
            ),
        ),
        dtype="float32",  # 376 MB as float64; whole numbers up to 255 are exact in float32
    ),
    "new_thyroid": Entry(
        "New thyroid (UCI): 215 × 5, classes 1 normal, 2 hyper, 3 hypo",
        "5c48a106d11ec4354f214188c0f9981bac27af4e77e64627942d45a8815b8828",
        openml=OpenMLCopy(
            40682, None, ("8e79ff02064a992f32d97eb1b59c1d614aa1a2d4629857ebd20b771baa7b1e68",), decimals=1
        ),
    ),
    "raetsch_breast_cancer": Entry(
        "Breast cancer (Rätsch 2001): 277 × 9, 2 classes, 100 partitions of 200/77",
        "6d00461bfaccccf0286c78473290b8a2ba14b649ce0e62e3fe9298044085900d",
        why_not_public=_RAETSCH,
    ),
    "raetsch_diabetes": Entry(
        "Diabetes (Rätsch 2001): 768 × 8, 2 classes, 100 partitions of 468/300",
        "2b763026d57337cf4ced2a383d17e06f614618cea03005966a670cc79768c0b2",
        why_not_public=_RAETSCH,
    ),
    "raetsch_heart": Entry(
        "Heart (Rätsch 2001): 270 × 13, 2 classes, 100 partitions of 170/100",
        "c8881d422e65353dfc981aaae930eb26c0efff5b273fe7806602e866dbb29b86",
        why_not_public=_RAETSCH,
    ),
    "raetsch_thyroid": Entry(
        "Thyroid (Rätsch 2001): 215 × 5, 2 classes, 100 partitions of 140/75",
        "f13a1a82b14e9279d8ad78f0eaed05bdcb7a6fcbb3d43ced9e9ce56704ddb2fd",
        why_not_public=_RAETSCH,
    ),
    "satimage": Entry(
        "Landsat satellite (Statlog): 36 spectral values, 6 classes (1–5, 7), split 4435/2000",
        "8a1dc65d2d8369aa430a79b756033cb6cffca5cca11fd3f0a9ce2c6704c95fda",
        why_not_public="OpenML's copy (id 182) is standardised, lacks rows and has lost the official split",
    ),
    "usps": Entry(
        "USPS zip-code digits: 16 × 16 grey values in [−1, 1], 10 classes, split 7291/2007",
        "60551417d3d2fa6d532c47150c81f7fdee3edf9906dc7bc3558fce0932e4e655",
        openml=OpenMLCopy(
            41082,
            7291,
            (
                "74f0d275fe70379f334b05baf19ffa6f4ce91cd48e892aa4220e8cbe5ee81d3b",
                "f0d38d73aa7f298feb8eaf4d7798fc759457d3b8fdbd36e2c3641b3108c30193",
            ),
            decimals=3,
            first_label=1,
        ),
    ),
    "wine": Entry(
        "Wine (UCI): 178 × 13 chemical measurements, 3 classes",
        "c5a697be87f3d7cb376302965d97add129470d0d9023a6766a10d9da6332246e",
        in_sklearn=True,
    ),
}
