// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A stand-in for the OP-stack predeploy of the same name, by the rules of Fjord and Isthmus
/// (specs.optimism.io), for development chains. Its storage has the layout of the predeploy L1Block, from which anvil reads the fees.
contract GasPriceOracle {
    function getL1Fee(bytes calldata data) external view returns (uint256) {
        return feeOf(compressedSize(data) + 68);
    }

    /// The fee of bytes that are signed already.
    function feeOfSigned(bytes calldata data) external view returns (uint256) {
        return feeOf(compressedSize(data));
    }

    /// Reverts if the network has no operator fee, as an oracle from before Isthmus does.
    function getOperatorFee(uint256 gas) external view returns (uint256) {
        uint256 operator = slot(8);
        require(operator != 0);
        return (gas * uint32(operator >> 64)) / 1e6 + uint64(operator);
    }

    function feeOf(uint256 size) private view returns (uint256) {
        uint256 scalars = slot(3);
        uint256 perByte = uint256(uint32(scalars >> 96)) * 16 * slot(1) + uint256(uint32(scalars >> 64)) * slot(7);
        uint256 scaled = size * 836_500;
        uint256 estimated = scaled > 142_585_600 ? scaled - 42_585_600 : 100_000_000;
        return (estimated * perByte) / 1e12;
    }

    function slot(uint256 place) private view returns (uint256 word) {
        assembly {
            word := sload(place)
        }
    }

    /// The size of the bytes after FastLZ, level 1.
    function compressedSize(bytes calldata data) private pure returns (uint256 size) {
        unchecked {
            uint256[] memory seen = new uint256[](8192);
            uint256 end = data.length < 13 ? 0 : data.length - 13;
            uint256 start = 0;
            uint256 place = 2;
            while (place < end) {
                uint256 before;
                while (true) {
                    uint256 word = three(data, place);
                    uint256 hash = ((2654435769 * word) >> 19) & 0x1fff;
                    before = seen[hash];
                    seen[hash] = place;
                    if (place >= end) break;
                    place++;
                    if (place - 1 - before <= 0x1fff && word == three(data, before)) break;
                }
                if (place >= end) break;
                place--;
                if (place > start) size += literals(place - start);
                uint256 length = 0;
                while (place + 3 + length < end + 9) {
                    length++;
                    if (data[before + 2 + length] != data[place + 2 + length]) break;
                }
                size += 3 * ((length - 1) / 262) + ((length - 1) % 262 >= 6 ? 3 : 2);
                place += length;
                seen[((2654435769 * three(data, place)) >> 19) & 0x1fff] = place;
                place++;
                seen[((2654435769 * three(data, place)) >> 19) & 0x1fff] = place;
                place++;
                start = place;
            }
            size += literals(data.length - start);
        }
    }

    function literals(uint256 count) private pure returns (uint256) {
        uint256 rest = count % 32;
        return 33 * (count / 32) + (rest == 0 ? 0 : rest + 1);
    }

    function three(bytes calldata data, uint256 place) private pure returns (uint256) {
        return uint256(uint8(data[place])) | (uint256(uint8(data[place + 1])) << 8) | (uint256(uint8(data[place + 2])) << 16);
    }
}
